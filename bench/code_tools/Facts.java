// Definitions and imports of files of Java, as the parser of javac reads them.
// java Facts.java, paths on standard input; prints a JSON line for each file.
import com.sun.source.tree.*;
import com.sun.source.util.*;
import java.io.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;
import javax.tools.*;

public class Facts {
  public static void main(String[] args) throws Exception {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StandardJavaFileManager files = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8);
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
    for (String path; (path = in.readLine()) != null; ) {
      JavacTask task = (JavacTask) compiler.getTask(new PrintWriter(Writer.nullWriter()), files, d -> { },
          List.of("-proc:none"), null, files.getJavaFileObjects(Path.of(path)));
      for (CompilationUnitTree unit : task.parse()) {
        String text = unit.getSourceFile().getCharContent(true).toString();
        LineMap lines = unit.getLineMap();
        SourcePositions at = Trees.instance(task).getSourcePositions();
        List<String> definitions = new ArrayList<>(), imports = new ArrayList<>();
        for (ImportTree one : unit.getImports()) {
          String name = one.getQualifiedIdentifier().toString();
          imports.add(row(name.endsWith(".*") ? name.substring(0, name.length() - 2)
              : name.substring(0, name.lastIndexOf('.')), lines.getLineNumber(at.getStartPosition(unit, one))));
        }
        new TreeScanner<Void, String>() {
          void define(Tree node, Tree modifiers, String name) {
            if (name.isEmpty()) return;
            long start = Math.max(at.getStartPosition(unit, node), at.getEndPosition(unit, modifiers));
            long found = start;
            do { found = text.indexOf(name, (int) found + (found == start ? 0 : 1)); }
            while (found >= 0 && (inWord(text, found - 1) || inWord(text, found + name.length())));
            if (found >= 0) definitions.add(row(name, lines.getLineNumber(found)));
          }
          public Void visitClass(ClassTree node, String in) {
            define(node, node.getModifiers(), node.getSimpleName().toString());
            return super.visitClass(node, node.getSimpleName().toString());
          }
          public Void visitMethod(MethodTree node, String in) {
            boolean made = node.getName().contentEquals("<init>");
            if (at.getEndPosition(unit, node) > 0 && at.getStartPosition(unit, node) >= 0)
              define(node, made || node.getReturnType() == null ? node.getModifiers() : node.getReturnType(),
                  made ? in : node.getName().toString());
            return super.visitMethod(node, in);
          }
        }.scan(unit, "");
        System.out.println("{\"path\":\"" + path + "\",\"definitions\":[" + String.join(",", definitions)
            + "],\"imports\":[" + String.join(",", imports) + "]}");
      }
    }
  }

  static boolean inWord(String text, long place) {
    return place >= 0 && place < text.length() && Character.isJavaIdentifierPart(text.charAt((int) place));
  }

  static String row(String name, long line) { return "[\"" + name + "\"," + line + "]"; }
}
