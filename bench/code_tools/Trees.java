// Functions and classes of Java as javac's parser prints their trees: without comments and layout.
// java Trees.java, paths on standard input; prints a JSON line for each file.
import com.sun.source.tree.*;
import com.sun.source.util.*;
import java.io.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.security.MessageDigest;
import java.util.*;
import java.util.regex.*;
import javax.tools.*;

public class Trees {
  public static void main(String[] args) throws Exception {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StandardJavaFileManager files = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8);
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
    PrintStream out = new PrintStream(System.out, true, "UTF-8");
    for (String path; (path = in.readLine()) != null; ) {
      boolean[] wrong = {false};
      JavacTask task = (JavacTask) compiler.getTask(new PrintWriter(Writer.nullWriter()), files,
          d -> wrong[0] |= d.getKind() == Diagnostic.Kind.ERROR, List.of("-proc:none"), null,
          files.getJavaFileObjects(Path.of(path)));
      List<String> symbols = new ArrayList<>();
      for (CompilationUnitTree unit : task.parse()) {
        String text = unit.getSourceFile().getCharContent(true).toString();
        LineMap lines = unit.getLineMap();
        SourcePositions at = Trees.instance(task, unit);
        new TreeScanner<Void, String>() {
          void add(Tree node, Tree modifiers, String within, String name, String kind, String key) {
            long start = at.getStartPosition(unit, node), end = at.getEndPosition(unit, node);
            if (start < 0 || end < 0 || name.isEmpty()) return;
            long found = Math.max(start, at.getEndPosition(unit, modifiers)) - 1;
            do { found = text.indexOf(name, (int) found + 1); }
            while (found >= 0 && (inWord(text, found - 1) || inWord(text, found + name.length())));
            if (found < 0) return;
            symbols.add("{\"name\":" + quoted(within + name) + ",\"kind\":\"" + kind + "\",\"key\":" + quoted(key)
                + ",\"first\":" + lines.getLineNumber(start) + ",\"line\":" + lines.getLineNumber(found)
                + ",\"last\":" + lines.getLineNumber(end - 1) + ",\"form\":\"" + form(node, name) + "\"}");
          }
          public Void visitClass(ClassTree node, String within) {
            String name = node.getSimpleName().toString();
            add(node, node.getModifiers(), within, name, "class", "");
            return super.visitClass(node, name.isEmpty() ? within : within + name + ".");
          }
          public Void visitMethod(MethodTree node, String within) {
            boolean made = node.getName().contentEquals("<init>");
            String[] owners = within.split("\\.");
            String name = made ? owners[owners.length - 1] : node.getName().toString();
            StringBuilder key = new StringBuilder();
            for (VariableTree one : node.getParameters()) key.append(one.getType()).append(',');
            Tree before = made || node.getReturnType() == null ? node.getModifiers() : node.getReturnType();
            add(node, before, within, name, "callable", key.toString());
            return super.visitMethod(node, within + name + ".");
          }
        }.scan(unit, "");
      }
      out.println("{\"path\":" + quoted(path) + ",\"whole\":" + !wrong[0] + ",\"symbols\":[" + String.join(",", symbols) + "]}");
    }
  }

  static SourcePositions instance(JavacTask task, CompilationUnitTree unit) {
    return com.sun.source.util.Trees.instance(task).getSourcePositions();
  }

  static String form(Tree node, String name) {
    String text = node.toString().replaceAll("\\s+", " ");
    text = Pattern.compile("(?<![\\w$\"])" + Pattern.quote(name) + "(?![\\w$\"])").matcher(text).replaceAll("•");
    try {
      StringBuilder hex = new StringBuilder();
      for (byte one : MessageDigest.getInstance("MD5").digest(text.getBytes(StandardCharsets.UTF_8)))
        hex.append(String.format("%02x", one));
      return hex.toString();
    } catch (java.security.NoSuchAlgorithmException error) { throw new IllegalStateException(error); }
  }

  static boolean inWord(String text, long place) {
    return place >= 0 && place < text.length() && Character.isJavaIdentifierPart(text.charAt((int) place));
  }

  static String quoted(String text) { return "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"").replaceAll("\\s+", " ") + "\""; }
}
