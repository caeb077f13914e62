"""Words that continue a sentence about a password, in six languages: they are no passwords.

Told by their endings where a language forms them so (participles, adjectives, adverbs), and by a list where
it does not.
"""

from __future__ import annotations

from functools import lru_cache

from recortex.engines.privacy.expressions import compiled

_ENDINGS = (
    r".{2,}(?:ed|ing|able|ible|less|ful|ly|tion|ment|ness|ive|ous|ized|ised)"
    r"|ge.{2,}(?:t|en)|(?:ver|be|ent|er|zer|ab|an|auf|aus|ein|zu|un).{1,}(?:t|en)|.{3,}(?:bar|lich|iert|"
    r"ungen|ung|los|haft)|.{3,}(?:ig|isch)(?:e[rsnm]?)?"
    r"|.{3,}(?:é|ée|és|ées|ique|aire|eux|euse)"
    r"|.{2,}(?:[aiu]d[oa]s?|ble|bles|oso|osa|ct[oa]s?|mente|ción|ções|ção)"
    r"|.{2,}(?:[aiu]t[oa]|[aiu]ti|bile|bili|zione|ária|ário|ória|ório|iva|ivo)"
)
_LISTED = frozenset(
    """
    a about above after again all also always am an and any anything are around as ask asks at auth
    authentication away back bad based basic be because been before being below between blank both broken
    but by can cannot case character characters chars check clear common complex correct could default
    different digits do does down each easy either else empty enough every everything exactly expired false
    field file fine first flow for form format from general generator given good hash hashes have here
    hidden how if in incorrect input inside insecure invalid is it its just kept known lacking last later
    leaked least left length less like locked login long longer lost made managed manager mandatory may me
    mine missing more most must my necessary needed never new next no none not nothing null ok old on once
    one only optional or other our out over own part plain please policy pretty private prompt protection
    public random read ready really required reset right safe same saved secret secure see sent set shared
    shorter short should shown simple single so some something somewhere stale still strong stronger such
    sure than that the their them then there they this those through to today too true twelve twice two
    unclear under undefined unique unknown unset until up upper used user using valid value via visible was
    weak weaker well what when where whether which while who why will with within without word words wrong
    yes yet you your admin root nobody anyone someone hashing hasher hint history field fields label page
    screen step script store storage vault keychain environment variable column table string text bytes type
    bcrypt argon scrypt plaintext yaml json file rotation recovery protected authenticated encryption
    confirmation change changes entry dialog box rules rule strength validator validation der die das dem
    den des ein eine einer eines einem einen und oder nicht nie kein keine falsch richtig leer lang kurz zu
    zum zur sehr noch schon jetzt hier dort im in am auf aus bei von vom wie was wo wenn weil dann immer nur
    auch mehr weniger mindestens sicher unsicher stark schwach neu alt gleich pflicht bekannt unbekannt
    geheim abgelaufen weg da an ab über unter durch für gegen ohne nach vor seit optional notwendig
    erforderlich le la les un une des du de et ou pas ne plus trop très bien mal faux fausse vrai correct
    incorrect incorrecte vide long longue court courte faible fort forte dans sur sous avec sans pour par
    chez en au aux ce cette ces son sa ses mon ma mes ton ta tes il elle ici là toujours jamais déjà encore
    requis requise obligatoire invalide valide perdu el los las una uno y o no ni muy más menos demasiado
    aquí allí siempre nunca ya aún correcta correcto incorrecta incorrecto vacía vacío larga largo corta
    corto débil fuerte en con sin para por de del al que se su sus mi mis tu tus es está secreta secreto
    nueva nuevo leer tener hacer saber no sí otra otro misma mismo o os as um uma e ou não nem muito mais
    menos aqui ali sempre nunca já ainda correta correto errada errado vazia vazio longa longo curta curto
    fraca fraco forte na nas nos em com sem do da dos das ao à que seu sua meu minha é está obrigatória
    obrigatório inválida inválido nova novo outra outro mesma mesmo il lo gli i un una uno e o non né molto
    più meno troppo qui lì sempre mai già ancora corretta corretto sbagliata sbagliato vuota vuoto lunga
    lungo corta corto debole forte nel nella nello nei nelle sul sulla con senza per di del della dei al
    alla che suo sua mio mia è stata stato obbligatoria obbligatorio scaduta nuova nuovo altra altro stessa
    """.split()  # noqa: SIM905  read as text
)


@lru_cache(maxsize=4096)
def is_plain_word(value: str) -> bool:
    """Whether a value is a word that continues a sentence about passwords, and no likely password."""
    word = value.strip("\"'`*_.,;:!?").lower()
    return word in _LISTED or (word.isalpha() and compiled(_ENDINGS).fullmatch(word) is not None)
