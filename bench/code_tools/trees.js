// Functions and classes of JavaScript and TypeScript as syntax trees of the compiler of TypeScript, without layout.
// node trees.js FOLDER_WITH_NODE_MODULES, paths on standard input; prints a JSON line for each file.
const crypto = require("crypto");
const fs = require("fs");
const path = require("path");
const ts = require(path.join(process.argv[2], "node_modules", "typescript"));
const K = ts.SyntaxKind;
const CLASSES = new Set([K.ClassDeclaration, K.InterfaceDeclaration, K.EnumDeclaration]);
const CALLABLE = new Set([K.FunctionDeclaration, K.MethodDeclaration, K.Constructor, K.GetAccessor, K.SetAccessor]);
const HOLDERS = new Set([K.VariableDeclaration, K.PropertyDeclaration, K.PropertyAssignment]);
const OUTSIDE = new Set([K.ExportKeyword, K.DefaultKeyword, K.DeclareKeyword]);

const isFunction = (node) => node && (node.kind === K.ArrowFunction || node.kind === K.FunctionExpression);

function nameOf(node) {
  if (node.kind === K.Constructor) return "constructor";
  if (!node.name) return null;
  if (ts.isStringLiteral(node.name)) return /^[A-Za-z_$][\w$]*$/.test(node.name.text) ? node.name.text : null;
  if (ts.isIdentifier(node.name)) return node.name.text;
  if (ts.isPrivateIdentifier(node.name)) return node.name.text.slice(1);
  return null;
}

// The tree as text: kinds, names, values. What a formatter changes is left out: brackets around an expression,
// quotes, empty statements, the quotes of a key, blanks between tags.
function dump(node, name, out, top) {
  while (ts.isParenthesizedExpression(node) || ts.isParenthesizedTypeNode(node)) node = node.expression || node.type;
  if (node.kind === K.EmptyStatement) return;
  if (top && OUTSIDE.has(node.kind)) return;
  if (ts.isJsxText(node)) {
    const text = node.text.replace(/\s+/g, " ").trim();
    if (text) out.push("jsx", text);
    return;
  }
  if (ts.isJsxExpression(node) && (!node.expression || (ts.isStringLiteral(node.expression) && !node.expression.text.trim()))) return;
  const key = node.parent && node.parent.name === node && ts.isStringLiteral(node);
  out.push("(", key ? K.Identifier : node.kind);
  if (typeof node.text === "string" && node.kind !== K.SourceFile) out.push(JSON.stringify(node.text === name ? "•" : node.text));
  if (node.rawText !== undefined) out.push(JSON.stringify(node.rawText));
  if (typeof node.operator === "number") out.push(node.operator);
  if (typeof node.keywordToken === "number") out.push(node.keywordToken);
  if (node.isTypeOf || node.isTypeOnly) out.push("type");
  if (ts.isVariableDeclarationList(node)) out.push(node.flags & (ts.NodeFlags.Let | ts.NodeFlags.Const));
  ts.forEachChild(node, (child) => dump(child, name, out, false));
  out.push(")");
}

function form(node, name) {
  const out = [];
  const children = [];
  ts.forEachChild(node, (child) => { children.push(child); });
  out.push(node.kind === K.PropertyDeclaration || !HOLDERS.has(node.kind) ? node.kind : "holder");
  for (const child of children) dump(child, name, out, true);
  return crypto.createHash("md5").update(out.join(" ")).digest("hex");
}

for (const file of fs.readFileSync(0, "utf8").split("\n").filter(Boolean)) {
  const text = fs.readFileSync(file, "utf8");
  const kind = /\.(jsx?|mjs|cjs)$/.test(file) ? ts.ScriptKind.JSX : undefined;
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true, kind);
  const symbols = [];
  const lineAt = (place) => source.getLineAndCharacterOfPosition(place).line + 1;
  const add = (node, name, kind, within, span) => {
    const key = (node.parameters || (node.initializer && node.initializer.parameters) || [])
      .map((one) => one.type ? one.type.getText(source).replace(/\s+/g, "") : "").join(",") + (node.kind === K.SetAccessor ? "set" : "");
    symbols.push({ name: [...within, name].join("."), kind, key, first: lineAt(span.getStart(source)),
      line: lineAt((node.name || node).getStart(source)), last: lineAt(span.end), form: form(node, name) });
  };
  const visit = (node, within) => {
    let name = null;
    if (CLASSES.has(node.kind) || CALLABLE.has(node.kind)) {
      name = nameOf(node);
      if (name && (CLASSES.has(node.kind) || node.body)) add(node, name, CLASSES.has(node.kind) ? "class" : "callable", within, node);
    } else if (HOLDERS.has(node.kind)) {
      name = nameOf(node);
      let value = node.initializer;
      while (value && (ts.isAsExpression(value) || ts.isSatisfiesExpression(value) || ts.isParenthesizedExpression(value))) value = value.expression;
      const holds = isFunction(value) || (value && (ts.isObjectLiteralExpression(value) || ts.isClassExpression(value)));
      const list = node.parent;
      const alone = node.kind === K.VariableDeclaration && list.declarations && list.declarations.length === 1;
      if (name && isFunction(node.initializer)) add(node, name, "callable", within, alone ? list : node);
      if (!holds) name = null;
    } else if (ts.isModuleDeclaration(node)) name = node.name.text;
    const inner = name ? [...within, name] : within;
    ts.forEachChild(node, (child) => visit(child, inner));
  };
  visit(source, []);
  console.log(JSON.stringify({ path: file, whole: !source.parseDiagnostics.length, symbols }));
}
