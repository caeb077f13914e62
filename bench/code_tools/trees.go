// Functions and types of Go as trees of go/parser, without comments and positions.
// go run trees.go, paths on standard input; prints a JSON line for each file.
package main

import (
	"bufio"
	"crypto/md5"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"reflect"
	"strings"
)

type symbol struct {
	Name  string `json:"name"`
	Kind  string `json:"kind"`
	Key   string `json:"key"`
	First int    `json:"first"`
	Line  int    `json:"line"`
	Last  int    `json:"last"`
	Form  string `json:"form"`
}

var left = map[string]bool{"Obj": true, "Scope": true, "Unresolved": true, "Doc": true, "Comment": true, "Comments": true}

// dump writes kinds, names and values; a position counts only by whether there is one.
func dump(value reflect.Value, name string, out *strings.Builder) {
	switch value.Kind() {
	case reflect.Interface, reflect.Ptr:
		if value.IsNil() {
			out.WriteString("nil ")
		} else if inner, ok := value.Interface().(*ast.ParenExpr); ok {
			dump(reflect.ValueOf(inner.X), name, out)
		} else {
			dump(value.Elem(), name, out)
		}
	case reflect.Slice:
		out.WriteString("[ ")
		for i := 0; i < value.Len(); i++ {
			dump(value.Index(i), name, out)
		}
		out.WriteString("] ")
	case reflect.Struct:
		if _, empty := value.Interface().(ast.EmptyStmt); empty {
			return
		}
		out.WriteString(value.Type().Name() + "( ")
		for i := 0; i < value.NumField(); i++ {
			if !left[value.Type().Field(i).Name] {
				dump(value.Field(i), name, out)
			}
		}
		out.WriteString(") ")
	default:
		if place, ok := value.Interface().(token.Pos); ok {
			fmt.Fprintf(out, "%t ", place.IsValid())
		} else if value.Kind() == reflect.String && value.String() == name {
			out.WriteString("• ")
		} else {
			fmt.Fprintf(out, "%v ", value.Interface())
		}
	}
}

func form(node ast.Node, name string) string {
	var out strings.Builder
	dump(reflect.ValueOf(node), name, &out)
	sum := md5.Sum([]byte(out.String()))
	return hex.EncodeToString(sum[:])
}

func owner(function *ast.FuncDecl) string {
	if function.Recv == nil || len(function.Recv.List) == 0 {
		return ""
	}
	kind := function.Recv.List[0].Type
	for {
		switch one := kind.(type) {
		case *ast.StarExpr:
			kind = one.X
		case *ast.ParenExpr:
			kind = one.X
		case *ast.IndexExpr:
			kind = one.X
		case *ast.IndexListExpr:
			kind = one.X
		case *ast.Ident:
			return one.Name + "."
		default:
			return ""
		}
	}
}

func main() {
	scanner := bufio.NewScanner(os.Stdin)
	for scanner.Scan() {
		path := scanner.Text()
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		found := []symbol{}
		add := func(node ast.Node, from token.Pos, ident *ast.Ident, within, kind string) {
			found = append(found, symbol{within + ident.Name, kind, "", set.Position(from).Line,
				set.Position(ident.Pos()).Line, set.Position(node.End()).Line, form(node, ident.Name)})
		}
		if file != nil {
			for _, one := range file.Decls {
				switch decl := one.(type) {
				case *ast.FuncDecl:
					add(decl, decl.Pos(), decl.Name, owner(decl), "callable")
				case *ast.GenDecl:
					for _, spec := range decl.Specs {
						if kind, ok := spec.(*ast.TypeSpec); ok {
							_, isStruct := kind.Type.(*ast.StructType)
							_, isInterface := kind.Type.(*ast.InterfaceType)
							if isStruct || isInterface {
								add(kind, kind.Pos(), kind.Name, "", "class")
							}
						}
					}
				}
			}
		}
		line, _ := json.Marshal(map[string]any{"path": path, "whole": err == nil, "symbols": found})
		fmt.Println(string(line))
	}
}
