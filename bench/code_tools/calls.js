// What calls of JavaScript and TypeScript mean, as the language service of TypeScript has it.
// node calls.js FOLDER_WITH_NODE_MODULES calls FOLDER, lines `path<TAB>line<TAB>name` on standard input.
const path = require("path");
const fs = require("fs");
const ts = require(path.join(process.argv[2], "node_modules", "typescript"));
const top = path.resolve(process.argv[4]);
const left = new Set(["node_modules", ".git"]);
const files = [];
(function walk(folder) {
  for (const one of fs.readdirSync(folder, { withFileTypes: true })) {
    const name = path.join(folder, one.name);
    if (one.isDirectory() && !left.has(one.name)) walk(name);
    else if (/\.([cm]?[jt]s|[jt]sx)$/.test(one.name)) files.push(name);
  }
})(top);
const paths = { "@/*": ["src/*", "*"], "~/*": ["src/*", "*"], "src/*": ["src/*"] };
const options = { allowJs: true, checkJs: false, noEmit: true, target: ts.ScriptTarget.Latest, jsx: 1,
  module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler, baseUrl: top, paths,
  allowImportingTsExtensions: true, experimentalDecorators: true, resolveJsonModule: true, skipLibCheck: true };
const host = { getScriptFileNames: () => files, getScriptVersion: () => "1", getCurrentDirectory: () => top,
  getScriptSnapshot: (file) => fs.existsSync(file) ? ts.ScriptSnapshot.fromString(fs.readFileSync(file, "utf8")) : undefined,
  getCompilationSettings: () => options, getDefaultLibFileName: (o) => ts.getDefaultLibFilePath(o),
  fileExists: ts.sys.fileExists, readFile: ts.sys.readFile, readDirectory: ts.sys.readDirectory,
  directoryExists: ts.sys.directoryExists, getDirectories: ts.sys.getDirectories };
const service = ts.createLanguageService(host);
for (const line of fs.readFileSync(0, "utf8").split("\n").filter(Boolean)) {
  const [file, number, name] = line.split("\t");
  const full = path.join(top, file), source = service.getProgram().getSourceFile(full);
  const targets = [];
  const visit = (node) => {
    let called = ts.isCallExpression(node) || ts.isNewExpression(node) ? node.expression : ts.isTaggedTemplateExpression(node) ? node.tag
      : ts.isJsxOpeningLikeElement(node) ? node.tagName : null;
    if (called && ts.isPropertyAccessExpression(called)) called = called.name;
    if (called && called.text === name && source.getLineAndCharacterOfPosition(called.getStart(source)).line + 1 === +number)
      for (const one of service.getDefinitionAtPosition(full, called.getStart(source)) || []) {
        const inside = !path.relative(top, one.fileName).startsWith("..");
        const text = inside && service.getProgram().getSourceFile(one.fileName);
        targets.push(inside ? [path.relative(top, one.fileName), text.getLineAndCharacterOfPosition(one.textSpan.start).line + 1] : ["", 0]);
      }
    ts.forEachChild(node, visit);
  };
  if (source) visit(source);
  console.log(JSON.stringify({ path: file, line: +number, name, said: targets.length ? "known" : "unknown", targets }));
}
