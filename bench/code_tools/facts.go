// Definitions and imports of files of Go by go/parser, and what calls in them mean by go/types.
// facts facts|calls FOLDER; paths, or lines `path<TAB>line<TAB>name`, on standard input; prints JSON lines.
package main

import (
	"bufio"
	"encoding/json"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

type row = []any

func show(one map[string]any) {
	text, _ := json.Marshal(one)
	os.Stdout.Write(append(text, '\n'))
}

func facts(path string) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, nil, 0)
	definitions, imports := []row{}, []row{}
	define := func(name *ast.Ident) {
		definitions = append(definitions, row{name.Name, set.Position(name.Pos()).Line})
	}
	if err == nil {
		ast.Inspect(file, func(node ast.Node) bool {
			switch one := node.(type) {
			case *ast.FuncDecl:
				define(one.Name)
			case *ast.TypeSpec:
				switch one.Type.(type) {
				case *ast.StructType, *ast.InterfaceType:
					define(one.Name)
				}
			case *ast.InterfaceType:
				for _, field := range one.Methods.List {
					if _, is := field.Type.(*ast.FuncType); is && len(field.Names) > 0 {
						define(field.Names[0])
					}
				}
			case *ast.ImportSpec:
				name, _ := strconv.Unquote(one.Path.Value)
				imports = append(imports, row{name, set.Position(one.Path.Pos()).Line})
			}
			return true
		})
	}
	show(map[string]any{"path": path, "unread": err != nil, "definitions": definitions, "imports": imports})
}

// One package of the project, checked with what can be found; everything else is left unknown.
type project struct {
	top, module string
	set         *token.FileSet
	files       map[string][]*ast.File
	done        map[string]*types.Package
	info        types.Info
	standard    types.Importer
	roots       map[string]string
}

func (p *project) Import(path string) (*types.Package, error) {
	for module, folder := range p.roots {
		if path == module || strings.HasPrefix(path, module+"/") {
			inner := filepath.Join(folder, strings.TrimPrefix(strings.TrimPrefix(path, module), "/"))
			if len(p.files[inner]) > 0 {
				return p.check(inner, path, false), nil
			}
		}
	}
	return p.standard.Import(path)
}

func (p *project) check(folder, path string, tests bool) *types.Package {
	key := folder
	if found, ok := p.done[key]; ok {
		return found
	}
	p.done[key] = types.NewPackage(path, filepath.Base(path))
	groups := map[string][]*ast.File{}
	plain := ""
	for _, file := range p.files[folder] {
		name := file.Name.Name
		groups[name] = append(groups[name], file)
		if !strings.HasSuffix(name, "_test") && !strings.HasSuffix(p.set.Position(file.Pos()).Filename, "_test.go") {
			plain = name
		}
	}
	config := types.Config{Importer: p, Error: func(error) {}, FakeImportC: true}
	found, _ := config.Check(path, p.set, groups[plain], &p.info)
	p.done[key] = found
	for name, files := range groups {
		if name != plain {
			config.Check(path+"_"+name, p.set, files, &p.info)
		}
	}
	return found
}

func calls(top string) {
	top, _ = filepath.Abs(top)
	p := &project{top: top, set: token.NewFileSet(), files: map[string][]*ast.File{},
		done: map[string]*types.Package{}, roots: map[string]string{},
		info: types.Info{Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}}}
	p.standard = importer.ForCompiler(p.set, "source", nil)
	byPath := map[string]*ast.File{}
	filepath.Walk(top, func(path string, info os.FileInfo, err error) error {
		if err == nil && info.Name() == "go.mod" {
			text, _ := os.ReadFile(path)
			for _, line := range strings.Split(string(text), "\n") {
				if strings.HasPrefix(line, "module ") {
					p.roots[strings.Trim(strings.TrimPrefix(line, "module "), " \"\r")] = filepath.Dir(path)
				}
			}
		}
		if err == nil && strings.HasSuffix(path, ".go") {
			if file, err := parser.ParseFile(p.set, path, nil, 0); err == nil {
				folder := filepath.Dir(path)
				p.files[folder] = append(p.files[folder], file)
				byPath[path] = file
			}
		}
		return nil
	})
	for folder := range p.files {
		name := folder
		for module, root := range p.roots {
			if inner, err := filepath.Rel(root, folder); err == nil && !strings.HasPrefix(inner, "..") {
				name = filepath.ToSlash(filepath.Join(module, inner))
			}
		}
		p.check(folder, name, true)
	}
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		parts := strings.Split(in.Text(), "\t")
		line, _ := strconv.Atoi(parts[1])
		said, targets := "unseen", []row{}
		if file := byPath[filepath.Join(top, parts[0])]; file != nil {
			ast.Inspect(file, func(node ast.Node) bool {
				var called ast.Expr
				switch one := node.(type) {
				case *ast.CallExpr:
					called = one.Fun
				case *ast.CompositeLit:
					called = one.Type
				}
				switch one := called.(type) {
				case *ast.IndexExpr:
					called = one.X
				case *ast.IndexListExpr:
					called = one.X
				}
				if one, is := called.(*ast.SelectorExpr); is {
					called = one.Sel
				}
				name, is := called.(*ast.Ident)
				if !is || name.Name != parts[2] || p.set.Position(name.Pos()).Line != line {
					return true
				}
				meant := p.info.Uses[name]
				if meant == nil {
					if said == "unseen" {
						said = "unknown"
					}
					return true
				}
				said = "known"
				at := p.set.Position(meant.Pos())
				if path, err := filepath.Rel(top, at.Filename); err == nil && at.IsValid() && !strings.HasPrefix(path, "..") {
					targets = append(targets, row{filepath.ToSlash(path), at.Line})
				} else {
					targets = append(targets, row{"", 0})
				}
				return true
			})
		}
		show(map[string]any{"path": parts[0], "line": line, "name": parts[2], "said": said, "targets": targets})
	}
}

func main() {
	if os.Args[1] == "calls" {
		calls(os.Args[2])
		return
	}
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		facts(in.Text())
	}
}
