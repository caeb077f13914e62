"""Detection: a snippet in the form of each library's documentation, and what must not be found."""

import re
from pathlib import Path

import pytest
from snippets import sources

from recortex.code.detecting import FOLDER, detect, detectors, read
from recortex.errors import InvalidInputError

PACKAGE = '{{"dependencies": {{"{}": "^1.0"}}}}'


def npm(name):
    return {"package.json": PACKAGE.format(name)}


def pypi(name):
    return {"requirements.txt": f"{name}==1.0\n"}


def go(name):
    return {"go.mod": f"module example.org/app\n\nrequire {name} v1.0.0\n"}


def cargo(name):
    return {"Cargo.toml": f'[dependencies]\n{name} = "1.0"\n'}


def maven(group, artifact):
    inner = f"<groupId>{group}</groupId><artifactId>{artifact}</artifactId><version>1.0</version>"
    return {"pom.xml": f"<project><dependencies><dependency>{inner}</dependency></dependencies></project>"}


def nuget(name, sdk="Microsoft.NET.Sdk"):
    inner = f'<ItemGroup><PackageReference Include="{name}" Version="1.0" /></ItemGroup>'
    return {"App/App.csproj": f'<Project Sdk="{sdk}">{inner}</Project>'}


def composer(name):
    return {"composer.json": '{"require": {"' + name + '": "^1.0"}}'}


def cmake(text):
    return {"CMakeLists.txt": text}


FRAMEWORKS = [
    (
        "Next.js",
        npm("next"),
        {
            "app/blog/[slug]/page.tsx": "export default function Page() { return <p>hi</p>; }\n",
            "app/api/users/route.ts": "export async function POST(request: Request) {\n"
            "  return new Response('');\n}\n",
        },
        [("POST", "/api/users"), ("GET", "/blog/[slug]")],
    ),
    (
        "Express",
        npm("express"),
        {
            "src/app.js": "const express = require('express');\nconst app = express();\n"
            "app.get('/users', (req, res) => { res.send('hi'); });\n"
        },
        [("GET", "/users")],
    ),
    (
        "Fastify",
        npm("fastify"),
        {
            "src/server.js": "import Fastify from 'fastify';\nconst fastify = Fastify();\n"
            "fastify.post('/items', async (request, reply) => ({}));\n"
        },
        [("POST", "/items")],
    ),
    (
        "NestJS",
        npm("@nestjs/core"),
        {
            "src/cats.controller.ts": "import { Controller, Get } from '@nestjs/common';\n"
            "@Controller('cats')\nexport class CatsController {\n  @Get(':id')\n"
            "  find(): string { return ''; }\n}\n"
        },
        [("GET", "cats/:id")],
    ),
    (
        "Spring Boot",
        maven("org.springframework.boot", "spring-boot-starter-web"),
        {
            "src/main/java/a/Hello.java": "package a;\nimport org.springframework.web.bind.annotation.*;\n"
            '@RestController\n@RequestMapping("/api")\npublic class Hello {\n'
            '  @GetMapping("/hello")\n  public String hello() { return ""; }\n}\n'
        },
        [("GET", "/api/hello")],
    ),
    (
        "ASP.NET Core",
        nuget("Serilog", sdk="Microsoft.NET.Sdk.Web"),
        {
            "App/Program.cs": "var builder = WebApplication.CreateBuilder(args);\n"
            "var app = builder.Build();\n"
            'app.MapGet("/hello", () => "Hello");\napp.Run();\n'
        },
        [("GET", "/hello")],
    ),
    (
        "Laravel",
        composer("laravel/framework"),
        {
            "routes/web.php": "<?php\nuse Illuminate\\Support\\Facades\\Route;\n"
            "Route::get('/users', [UserController::class, 'index']);\n"
        },
        [("GET", "/users")],
    ),
    (
        "FastAPI",
        pypi("fastapi"),
        {
            "app/main.py": "from fastapi import FastAPI\napp = FastAPI()\n\n"
            '@app.get("/items/{item_id}")\nasync def read_item(item_id: int):\n    return {}\n'
        },
        [("GET", "/items/{item_id}")],
    ),
    (
        "Django",
        pypi("Django"),
        {
            "polls/urls.py": "from django.urls import path\nfrom . import views\n"
            'urlpatterns = [path("polls/<int:pk>/", views.detail)]\n'
        },
        [("ANY", "polls/<int:pk>/")],
    ),
    (
        "Gin",
        go("github.com/gin-gonic/gin"),
        {
            "main.go": 'package main\nimport "github.com/gin-gonic/gin"\nfunc main() {\n'
            "  r := gin.Default()\n"
            '  r.GET("/ping", func(c *gin.Context) {})\n}\n'
        },
        [("GET", "/ping")],
    ),
    (
        "Echo",
        go("github.com/labstack/echo/v4"),
        {
            "main.go": 'package main\nimport "github.com/labstack/echo/v4"\nfunc main() {\n'
            "  e := echo.New()\n"
            '  e.POST("/users", save)\n}\n'
        },
        [("POST", "/users")],
    ),
    (
        "Fiber",
        go("github.com/gofiber/fiber/v2"),
        {
            "main.go": 'package main\nimport "github.com/gofiber/fiber/v2"\nfunc main() {\n'
            "  app := fiber.New()\n"
            '  app.Get("/", hello)\n}\nfunc hello(c *fiber.Ctx) error { return nil }\n'
        },
        [("GET", "/")],
    ),
    (
        "Chi",
        go("github.com/go-chi/chi/v5"),
        {
            "main.go": 'package main\nimport "github.com/go-chi/chi/v5"\nfunc main() {\n'
            "  r := chi.NewRouter()\n"
            '  r.Get("/articles", list)\n}\n'
        },
        [("GET", "/articles")],
    ),
    (
        "net/http",
        {"go.mod": "module example.org/app\n"},
        {
            "main.go": 'package main\nimport "net/http"\nfunc main() {\n  http.HandleFunc("/bar", bar)\n'
            '  http.ListenAndServe(":80", nil)\n}\nfunc bar(w http.ResponseWriter, r *http.Request) {}\n'
        },
        [("ANY", "/bar")],
    ),
    (
        "Actix",
        cargo("actix-web"),
        {
            "src/main.rs": "use actix_web::{get, App, HttpServer, Responder};\n"
            '#[get("/hello/{name}")]\nasync fn greet() -> impl Responder { "" }\n'
        },
        [("GET", "/hello/{name}")],
    ),
    (
        "Axum",
        cargo("axum"),
        {
            "src/main.rs": "use axum::{routing::get, Router};\n"
            'fn app() -> Router {\n  Router::new().route("/users", get(list).post(create))\n}\n'
        },
        [("GET,POST", "/users")],
    ),
    (
        "Rocket",
        cargo("rocket"),
        {
            "src/main.rs": "#[macro_use] extern crate rocket;\n"
            '#[get("/hello/<name>")]\nfn hello(name: &str) -> String { String::new() }\n'
        },
        [("GET", "/hello/<name>")],
    ),
    (
        "Warp",
        cargo("warp"),
        {
            "src/main.rs": "use warp::Filter;\nfn main() {\n"
            '  let hi = warp::path("hi").map(|| "hi");\n  warp::serve(hi).run(([127, 0, 0, 1], 3030));\n}\n'
        },
        [("ANY", "hi")],
    ),
    (
        "Crow",
        cmake("find_package(Crow)\ntarget_link_libraries(app PUBLIC Crow::Crow)\n"),
        {
            "src/main.cpp": '#include "crow.h"\nint main() {\n  crow::SimpleApp app;\n'
            '  CROW_ROUTE(app, "/add");\n  app.port(18080).run();\n}\n'
        },
        [("ANY", "/add")],
    ),
    (
        "Boost.Beast",
        cmake("find_package(Boost REQUIRED)\n"),
        {"src/main.cpp": "#include <boost/beast/core.hpp>\nint main() { return 0; }\n"},
        [],
    ),
    (
        "Qt",
        cmake("find_package(Qt6 REQUIRED COMPONENTS Widgets)\n"),
        {"src/window.cpp": "#include <QMainWindow>\nclass Window : public QMainWindow { };\n"},
        [],
    ),
]

MAPPERS = [
    (
        "Supabase",
        npm("@supabase/supabase-js"),
        {
            "lib/db.ts": "import { createClient } from '@supabase/supabase-js';\n"
            "const supabase = createClient('u', 'k');\n"
            "export const all = () => supabase.from('countries').select();\n"
        },
        ["countries"],
    ),
    (
        "Prisma",
        npm("@prisma/client"),
        {
            "src/users.ts": "import { PrismaClient } from '@prisma/client';\n"
            "const prisma = new PrismaClient();\n"
            "export const all = () => prisma.user.findMany();\n"
        },
        ["user"],
    ),
    (
        "TypeORM",
        npm("typeorm"),
        {
            "src/user.ts": "import { Entity, Column } from 'typeorm';\n@Entity('users')\n"
            "export class User {\n  @Column()\n  name: string;\n}\n"
        },
        ["users"],
    ),
    (
        "Sequelize",
        npm("sequelize"),
        {
            "models/user.js": "const { Sequelize, DataTypes } = require('sequelize');\n"
            "const sequelize = new Sequelize('x');\n"
            "const User = sequelize.define('User', {});\n"
        },
        ["User"],
    ),
    (
        "Drizzle",
        npm("drizzle-orm"),
        {
            "db/schema.ts": "import { pgTable, serial } from 'drizzle-orm/pg-core';\n"
            "export const users = pgTable('users', { id: serial() });\n"
        },
        ["users"],
    ),
    (
        "Knex",
        npm("knex"),
        {"migrations/one.js": "exports.up = (knex) => knex.schema.createTable('users', (table) => {});\n"},
        ["users"],
    ),
    (
        "Mongoose",
        npm("mongoose"),
        {
            "models/cat.js": "const mongoose = require('mongoose');\n"
            "module.exports = mongoose.model('Cat', new mongoose.Schema({}));\n"
        },
        ["Cat"],
    ),
    (
        "Django ORM",
        pypi("django"),
        {
            "polls/models.py": "from django.db import models\n\n\nclass Base(models.Model):\n    pass\n\n\n"
            "class Question(Base):\n    text = models.CharField()\n"
        },
        ["Base", "Question"],
    ),
    (
        "SQLAlchemy",
        pypi("SQLAlchemy"),
        {
            "app/models.py": "from sqlalchemy.orm import DeclarativeBase\n\n\n"
            "class Base(DeclarativeBase):\n    pass\n\n\n"
            'class User(Base):\n    __tablename__ = "user_account"\n'
        },
        ["user_account"],
    ),
    (
        "Entity Framework",
        nuget("Microsoft.EntityFrameworkCore"),
        {
            "App/Db.cs": "using Microsoft.EntityFrameworkCore;\npublic class Db : DbContext {\n"
            "  public DbSet<Blog> Blogs { get; set; }\n}\n"
        },
        ["Blog"],
    ),
    (
        "Dapper",
        nuget("Dapper"),
        {
            "App/Dogs.cs": "using Dapper;\npublic class Dogs {\n  public void All() {\n"
            '    connection.Query<Dog>("select * from Dogs where Age > 1");\n  }\n}\n'
        },
        ["Dogs"],
    ),
    (
        "Spring Data JPA",
        maven("org.springframework.boot", "spring-boot-starter-data-jpa"),
        {
            "src/main/java/a/Owners.java": "package a;\n"
            "import org.springframework.data.jpa.repository.JpaRepository;\n"
            "public interface Owners extends JpaRepository<Owner, Long> {}\n"
        },
        ["Owner"],
    ),
    (
        "Hibernate",
        maven("org.hibernate.orm", "hibernate-core"),
        {
            "src/main/java/a/Book.java": "package a;\nimport jakarta.persistence.*;\n@Entity\n"
            "public class Book {}\n"
        },
        ["Book"],
    ),
    (
        "Eloquent",
        composer("laravel/framework"),
        {
            "app/Models/Flight.php": "<?php\nnamespace App\\Models;\n"
            "use Illuminate\\Database\\Eloquent\\Model;\n"
            "class Flight extends Model {}\n"
        },
        ["Flight"],
    ),
    (
        "Doctrine",
        composer("doctrine/orm"),
        {
            "src/Product.php": "<?php\nnamespace App;\nuse Doctrine\\ORM\\Mapping as ORM;\n"
            "#[ORM\\Entity]\nclass Product {}\n"
        },
        ["Product"],
    ),
    (
        "GORM",
        go("gorm.io/gorm"),
        {
            "main.go": 'package main\nimport "gorm.io/gorm"\ntype Product struct {\n  gorm.Model\n'
            "  Code string\n}\n"
        },
        ["Product"],
    ),
]
ALL = [*FRAMEWORKS, *MAPPERS]
NAMES = [case[0] for case in ALL]


def test_every_framework_and_mapper_has_a_case():
    assert sorted(NAMES) == sorted(one.name for one in detectors() if one.kind != "practice")
    assert (len(FRAMEWORKS), len(MAPPERS)) == (21, 16)


def test_categories_have_their_practices():
    counts = {}
    for one in detectors():
        if one.kind == "practice":
            counts[one.category] = counts.get(one.category, 0) + 1
    assert len(counts) == 15
    assert sum(counts.values()) == 102


@pytest.mark.parametrize(
    ("name", "manifest", "files", "routes"), FRAMEWORKS, ids=[one[0] for one in FRAMEWORKS]
)
def test_a_framework_is_found_with_its_routes(name, manifest, files, routes):
    found = detect(sources({**manifest, **files})).named(name)
    assert found is not None
    assert [(one.method, one.address) for one in found.routes] == routes
    assert all(one.place.path in files and one.place.line >= 1 for one in found.routes)


@pytest.mark.parametrize(("name", "manifest", "files", "tables"), MAPPERS, ids=[one[0] for one in MAPPERS])
def test_a_mapper_is_found_with_its_tables(name, manifest, files, tables):
    found = detect(sources({**manifest, **files})).named(name)
    assert found is not None
    assert sorted({one.name for one in found.tables}) == tables
    assert found.manifest.path in manifest


@pytest.mark.parametrize(("name", "manifest", "files", "_"), ALL, ids=NAMES)
def test_a_manifest_without_use_is_not_enough(name, manifest, files, _):
    ending = next(iter(files)).rpartition(".")[2]
    assert detect(sources({**manifest, f"src/empty.{ending}": ""})).named(name) is None


@pytest.mark.parametrize(("name", "files"), [(one[0], one[2]) for one in ALL], ids=NAMES)
def test_use_without_a_manifest_is_not_enough(name, files):
    found = detect(sources(files)).named(name)
    assert (found is not None) == (name == "net/http")  # it belongs to the language


@pytest.mark.parametrize(("name", "manifest", "files", "_"), ALL, ids=NAMES)
def test_what_only_tests_use_is_not_used(name, manifest, files, _):
    moved = {f"tests/{path}": text for path, text in files.items()}
    assert detect(sources({**manifest, **moved})).named(name) is None


@pytest.mark.parametrize(
    ("name", "files"),
    [
        ("Express", {**npm("express-session"), "a.js": "const s = require('express-session');\n"}),
        (
            "Express",  # another framework runs on it, and its types are written
            {
                **npm("express"),
                "a.ts": "import type { Request, Response } from 'express';\n"
                "class A { use(req: Request, res: Response) { return 1; } }\n",
            },
        ),
        ("Next.js", {**npm("next-auth"), "a.ts": "import x from 'next-auth';\n"}),
        (
            "Gin",
            {
                **go("github.com/gin-contrib/cors"),
                "a.go": 'package a\nimport "github.com/gin-contrib/cors"\n',
            },
        ),
        (
            "net/http",
            {"a.go": 'package a\nimport "net/http"\nfunc f() { http.Get("https://example.org/") }\n'},
        ),
        (
            "Chi",
            {
                "go.mod": "require (\n\tgithub.com/go-chi/chi/v5 v5.0.0 // indirect\n)\n",
                "a.go": "package a\n",
            },
        ),
        ("Django", {**pypi("django-stubs"), "a.py": "import djangorestframework\n"}),
        ("Qt", {**cmake("find_package(Threads)\n"), "a.cpp": "#include <queue>\n#include <Queue.h>\n"}),
        ("Crow", {**cmake("find_package(Boost)\n"), "a.cpp": "#include <crown.h>\n"}),
        ("Warp", {**cargo("warpgate"), "src/a.rs": "use warpgate::x;\n"}),
        (
            "Dapper",
            {**nuget("Npgsql"), "App/A.cs": 'class A { void F() { db.Execute("select 1 from x"); } }\n'},
        ),
    ],
)
def test_namesakes_are_not_found(name, files):
    assert detect(sources(files)).named(name) is None


def test_a_copied_header_stands_for_a_manifest():
    files = {"src/main.cpp": '#include "crow_all.h"\nint main() { CROW_ROUTE(app, "/x"); }\n'}
    found = detect(sources(files, more=("include/crow_all.h",))).named("Crow")
    assert (found.manifest.path, found.routes[0].address) == ("include/crow_all.h", "/x")


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*/*.toml")), ids=lambda path: path.stem)
def test_a_file_of_rules_loads(path):
    assert all(one.name for one in read(path))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            'name = "X"\nkind = "framework"\nlanguages = ["go"]\nstandard = true\nimport = ["x"]\n',
            "unknown field `import`",
        ),
        ('name = "X"\nkind = "framework"\nlanguages = ["cobol"]\n', "cobol"),
        ('name = "X"\nkind = "framework"\nlanguages = ["go"]\nimports = ["x"]\n', "no evidence in manifests"),
        ('name = "X"\nkind = "framework"\nlanguages = ["go"]\nmanifest.go = ["x"]\n', "no evidence in code"),
        (
            'name = "X"\nkind = "orm"\nlanguages = ["go"]\nstandard = true\n[[uses]]\non = "call"\n',
            "needs names",
        ),
        (
            (
                'name = "X"\nkind = "orm"\nlanguages = ["go"]\nstandard = true\n[[uses]]\non = "path"\n'
                'pattern = "("\n'
            ),
            "missing )",
        ),
        ("name =", "x.toml"),
    ],
)
def test_a_slip_in_a_file_of_rules_is_an_error(tmp_path: Path, text, said):
    path = tmp_path / "x.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InvalidInputError, match=re.escape(said)):
        list(read(path))
