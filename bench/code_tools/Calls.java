// What calls of Java mean, as javac attributes them; what is not there is left unknown.
// java Calls.java calls FOLDER, lines `path<TAB>line<TAB>name` on standard input; prints JSON lines.
import com.sun.source.tree.*;
import com.sun.source.util.*;
import java.io.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;
import java.util.stream.*;
import javax.lang.model.element.*;
import javax.tools.*;

public class Calls {
  public static void main(String[] args) throws Exception {
    Path top = Path.of(args[1]).toAbsolutePath().normalize();
    List<Path> sources;
    try (Stream<Path> all = Files.walk(top)) {
      sources = all.filter(one -> one.toString().endsWith(".java") && !one.endsWith("module-info.java")
          && !one.endsWith("package-info.java")).collect(Collectors.toList());
    }
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StandardJavaFileManager files = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8);
    JavacTask task = (JavacTask) compiler.getTask(new PrintWriter(Writer.nullWriter()), files, d -> { },
        List.of("-proc:none", "-Xmaxerrs", "100000", "-XDshould-stop.ifError=FLOW"), null, files.getJavaFileObjects(sources.toArray(new Path[0])));
    Map<String, List<Object[]>> found = new HashMap<>();
    List<CompilationUnitTree> units = new ArrayList<>();
    for (CompilationUnitTree unit : task.parse()) units.add(unit);
    try { task.analyze(); } catch (RuntimeException error) { System.err.println(error); }
    Trees trees = Trees.instance(task);
    SourcePositions at = trees.getSourcePositions();
    Map<Element, String> places = new HashMap<>();
    for (CompilationUnitTree unit : units) {
      String path = top.relativize(Path.of(unit.getSourceFile().toUri())).toString();
      new TreePathScanner<Void, Void>() {
        public Void visitMethodInvocation(MethodInvocationTree node, Void in) {
          ExpressionTree called = node.getMethodSelect();
          String name = called instanceof MemberSelectTree ? ((MemberSelectTree) called).getIdentifier().toString() : called.toString();
          long place = called instanceof MemberSelectTree ? at.getEndPosition(unit, called) : at.getStartPosition(unit, called);
          note(called, name, place);
          return super.visitMethodInvocation(node, in);
        }
        public Void visitMemberReference(MemberReferenceTree node, Void in) {
          note(node, node.getName().toString(), at.getEndPosition(unit, node));
          return super.visitMemberReference(node, in);
        }
        public Void visitNewClass(NewClassTree node, Void in) {
          String text = node.getIdentifier().toString().replaceAll("<.*", "");
          note(node.getIdentifier() instanceof ParameterizedTypeTree ? ((ParameterizedTypeTree) node.getIdentifier()).getType() : node.getIdentifier(),
              text.substring(text.lastIndexOf('.') + 1), at.getStartPosition(unit, node.getIdentifier()));
          return super.visitNewClass(node, in);
        }
        void note(Tree node, String name, long place) {
          Element meant = trees.getElement(new TreePath(getCurrentPath(), node));
          String key = path + "\t" + unit.getLineMap().getLineNumber(place) + "\t" + name;
          found.computeIfAbsent(key, one -> new ArrayList<>());
          if (meant == null || meant.asType().getKind() == javax.lang.model.type.TypeKind.ERROR) return;
          TreePath where = trees.getPath(meant);
          if (where == null) { found.get(key).add(new Object[] {"", 0L}); return; }
          CompilationUnitTree other = where.getCompilationUnit();
          found.get(key).add(new Object[] {top.relativize(Path.of(other.getSourceFile().toUri())).toString(),
              other.getLineMap().getLineNumber(at.getStartPosition(other, where.getLeaf()))});
        }
      }.scan(unit, null);
    }
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
    for (String line; (line = in.readLine()) != null; ) {
      List<Object[]> targets = found.getOrDefault(line, List.of());
      String[] parts = line.split("\t");
      System.out.println("{\"path\":\"" + parts[0] + "\",\"said\":\"" + (targets.isEmpty() ? "unknown" : "known") + "\",\"targets\":["
          + targets.stream().map(one -> "[\"" + one[0] + "\"," + one[1] + "]").collect(Collectors.joining(",")) + "]}");
    }
  }
}
