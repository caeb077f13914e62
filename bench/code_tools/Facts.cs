// Definitions and imports of files of C#, and what calls in them mean, as Roslyn has it.
// Facts.dll facts|calls FOLDER; paths, or queries as JSON-like lines `path<TAB>line<TAB>name`, on standard input.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text.Json;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

static class Facts {
  static IEnumerable<string> Lines() { for (string line; (line = Console.ReadLine()) != null; ) yield return line; }

  static CSharpParseOptions Options(string text, bool all) => new CSharpParseOptions(LanguageVersion.Preview)
    .WithPreprocessorSymbols(!all ? new string[0] : text.Split('\n').Where(one => one.TrimStart().StartsWith("#"))
      .SelectMany(one => one.Split(" \t()!&|\r".ToCharArray())).Where(one => one.Length > 0 && SyntaxFacts.IsValidIdentifier(one)));

  static int Line(SyntaxToken at) => at.GetLocation().GetLineSpan().StartLinePosition.Line + 1;

  static SyntaxToken? Name(SyntaxNode node) => node switch {
    EnumDeclarationSyntax one => one.Identifier,
    TypeDeclarationSyntax one => one.Identifier,
    MethodDeclarationSyntax one => one.Identifier,
    ConstructorDeclarationSyntax one => one.Identifier,
    LocalFunctionStatementSyntax one => one.Identifier,
    _ => null,
  };

  static void Print(object row) => Console.WriteLine(JsonSerializer.Serialize(row));

  static void Main(string[] given) {
    if (given[0] == "calls") { Calls(given[1]); return; }
    foreach (var path in Lines()) {
      var text = File.ReadAllText(path);
      var definitions = new HashSet<(string, int)>();
      var imports = new HashSet<(string, int)>();
      var unread = false;
      foreach (var all in new[] { false, true }) {
        var tree = CSharpSyntaxTree.ParseText(text, Options(text, all));
        if (tree.GetDiagnostics().Any(one => one.Severity == DiagnosticSeverity.Error)) { unread |= !all; continue; }
        foreach (var node in tree.GetRoot().DescendantNodes()) {
          if (Name(node) is SyntaxToken name) definitions.Add((name.ValueText, Line(name)));
          if (node is UsingDirectiveSyntax one)
            imports.Add((one.Name.ToString().Replace(" ", ""), Line(one.GetFirstToken())));
        }
      }
      Print(new { path, unread, definitions = definitions.Select(one => new object[] { one.Item1, one.Item2 }),
        imports = imports.Select(one => new object[] { one.Item1, one.Item2 }) });
    }
  }

  static void Calls(string folder) {
    var trees = new Dictionary<string, SyntaxTree>();
    foreach (var file in Directory.GetFiles(folder, "*.cs", SearchOption.AllDirectories)) {
      var path = Path.GetRelativePath(folder, file).Replace('\\', '/');
      var text = File.ReadAllText(file);
      trees[path] = CSharpSyntaxTree.ParseText(text, Options(text, false), path);
    }
    var shared = Path.GetDirectoryName(typeof(object).Assembly.Location);
    var references = Directory.GetFiles(shared, "*.dll").Where(one => {
      try { System.Reflection.AssemblyName.GetAssemblyName(one); return true; } catch (Exception) { return false; }
    }).Select(one => MetadataReference.CreateFromFile(one));
    var usual = CSharpSyntaxTree.ParseText("global using System; global using System.Collections.Generic; global using "
      + "System.IO; global using System.Linq; global using System.Net.Http; global using System.Threading; global "
      + "using System.Threading.Tasks;", new CSharpParseOptions(LanguageVersion.Preview), "usual.cs");
    var whole = CSharpCompilation.Create("all", trees.Values.Append(usual), references,
      new CSharpCompilationOptions(OutputKind.DynamicallyLinkedLibrary, allowUnsafe: true));
    foreach (var line in Lines()) {
      var (path, number, wanted) = (line.Split('\t')[0], int.Parse(line.Split('\t')[1]), line.Split('\t')[2]);
      var targets = new List<object[]>();
      var said = "unseen";
      if (trees.TryGetValue(path, out var tree)) {
        var model = whole.GetSemanticModel(tree);
        foreach (var node in tree.GetRoot().DescendantNodes()) {
          var name = node switch {
            InvocationExpressionSyntax call => Called(call.Expression),
            ObjectCreationExpressionSyntax made => Last(made.Type),
            _ => null,
          };
          if (name == null || name.Identifier.ValueText != wanted || Line(name.Identifier) != number) continue;
          var meant = node is ObjectCreationExpressionSyntax ? model.GetSymbolInfo(name) : model.GetSymbolInfo(node);
          if (meant.Symbol is IMethodSymbol { MethodKind: MethodKind.DelegateInvoke }) meant = model.GetSymbolInfo(name);
          var symbols = meant.Symbol != null ? new[] { meant.Symbol } : meant.CandidateSymbols.ToArray();
          if (symbols.Length == 0) { said = said == "unseen" ? "unknown" : said; continue; }
          said = "known";
          foreach (var symbol in symbols.Select(one => (one as IMethodSymbol)?.ReducedFrom ?? one))
            foreach (var place in symbol.OriginalDefinition.Locations.Where(one => true))
              targets.Add(place.IsInSource
                ? new object[] { place.SourceTree.FilePath, place.GetLineSpan().StartLinePosition.Line + 1 }
                : new object[] { "", 0 });
        }
      }
      Print(new { path, line = number, name = wanted, said, targets });
    }
  }

  static SimpleNameSyntax Called(ExpressionSyntax one) => one switch {
    SimpleNameSyntax name => name,
    MemberAccessExpressionSyntax member => member.Name,
    MemberBindingExpressionSyntax member => member.Name,
    _ => null,
  };

  static SimpleNameSyntax Last(TypeSyntax one) => one switch {
    SimpleNameSyntax name => name,
    QualifiedNameSyntax name => name.Right,
    _ => null,
  };
}
