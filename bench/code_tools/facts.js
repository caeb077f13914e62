// Definitions and imports of files of JavaScript and TypeScript, as the compiler of TypeScript parses them.
// node facts.js FOLDER_WITH_NODE_MODULES, paths on standard input; prints a JSON line for each file.
const path = require("path");
const fs = require("fs");
const ts = require(path.join(process.argv[2], "node_modules", "typescript"));
const K = ts.SyntaxKind;

function nameOf(node) {
  if (!node) return null;
  if (ts.isStringLiteral(node)) return /^[A-Za-z_$][\w$]*$/.test(node.text) ? node.text : null;
  if (ts.isIdentifier(node)) return node.text;
  if (ts.isPrivateIdentifier(node)) return node.text.slice(1);
  return null;
}

function isFunction(node) {
  return node && (node.kind === K.ArrowFunction || node.kind === K.FunctionExpression);
}

for (const file of fs.readFileSync(0, "utf8").split("\n").filter(Boolean)) {
  const source = ts.createSourceFile(file, fs.readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true);
  const definitions = [], imports = [];
  const line = (node) => source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1;
  const define = (name) => { const text = nameOf(name); if (text) definitions.push([text, line(name)]); };
  const required = (node) => {
    let value = node.initializer;
    if (value && value.kind === K.AwaitExpression) value = value.expression;
    if (!value || !ts.isCallExpression(value) || !value.arguments[0] || !ts.isStringLiteral(value.arguments[0])) return;
    const called = value.expression.kind === K.ImportKeyword ? "import" : nameOf(value.expression);
    if (called === "require" || (called === "import" && node.initializer !== value))
      imports.push([value.arguments[0].text, line(node)]);
  };
  const visit = (node) => {
    switch (node.kind) {
      case K.ClassDeclaration: case K.InterfaceDeclaration: case K.EnumDeclaration:
      case K.MethodDeclaration: case K.MethodSignature: case K.GetAccessor: case K.SetAccessor:
        define(node.name); break;
      case K.FunctionDeclaration:
        if (node.body && node.name) define(node.name);
        else if (node.body) definitions.push(["default", line(node)]);
        break;
      case K.BinaryExpression:
        if (node.operatorToken.kind === K.EqualsToken && isFunction(node.right) && ts.isPropertyAccessExpression(node.left))
          define(node.left.name);
        break;
      case K.ExportAssignment:
        if (isFunction(node.expression)) definitions.push(["default", line(node.expression)]);
        break;
      case K.Constructor:
        if (node.body) definitions.push(["constructor", line(node)]); break;
      case K.VariableDeclaration: case K.PropertyDeclaration: case K.PropertyAssignment:
        if (isFunction(node.initializer)) define(node.name);
        if (node.kind === K.VariableDeclaration) required(node);
        break;
      case K.ImportDeclaration: case K.ExportDeclaration:
        if (node.moduleSpecifier) imports.push([node.moduleSpecifier.text, line(node)]);
        break;
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  console.log(JSON.stringify({ path: file, definitions, imports }));
}
