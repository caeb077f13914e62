<?php
// Functions and classes of PHP as nikic/php-parser prints their trees: without comments and layout.
// php trees.php, paths on standard input; prints a JSON line for each file. The parser is found on the include path.
error_reporting(E_ALL & ~E_DEPRECATED);
require_once 'PhpParser/autoload.php';

use PhpParser\Node;
use PhpParser\NodeTraverser;
use PhpParser\NodeVisitorAbstract;

final class Plain extends NodeVisitorAbstract
{
    public function enterNode(Node $node)
    {
        $node->setAttributes(array_intersect_key($node->getAttributes(), ['startLine' => 1, 'endLine' => 1]));
        return null;
    }

    public function leaveNode(Node $node)
    {
        return $node instanceof Node\Stmt\Nop ? NodeTraverser::REMOVE_NODE : null;
    }
}

final class Symbols
{
    public array $found = [];
    private $printer;

    public function __construct()
    {
        $this->printer = new PhpParser\PrettyPrinter\Standard();
    }

    public function walk($nodes, string $within): void
    {
        foreach (is_array($nodes) ? $nodes : [$nodes] as $node) {
            if (is_array($node)) {
                $this->walk($node, $within);
            }
            if (!$node instanceof Node) {
                continue;
            }
            $callable = $node instanceof Node\Stmt\Function_ || $node instanceof Node\Stmt\ClassMethod;
            $class = $node instanceof Node\Stmt\ClassLike && $node->name !== null;
            $inner = $within;
            if ($callable || $class) {
                $name = $node->name->toString();
                $this->add($node, $within, $name, $class ? 'class' : 'callable');
                $inner = $within . $name . '.';
            }
            foreach ($node->getSubNodeNames() as $part) {
                if (is_array($node->$part) || $node->$part instanceof Node) {
                    $this->walk($node->$part, $inner);
                }
            }
        }
    }

    private function add(Node $node, string $within, string $name, string $kind): void
    {
        $text = preg_replace('/\s+/', ' ', $this->printer->prettyPrint([$node]));
        $text = preg_replace('/(?<![\w$"\'])' . preg_quote($name, '/') . '(?![\w"\'])/', '•', $text);
        $this->found[] = ['name' => $within . $name, 'kind' => $kind, 'key' => '', 'first' => $node->getStartLine(),
            'line' => $node->name->getStartLine(), 'last' => $node->getEndLine(), 'form' => md5($text)];
    }
}

$lexer = new PhpParser\Lexer\Emulative(['usedAttributes' => ['startLine', 'endLine', 'comments']]);
$parser = (new PhpParser\ParserFactory())->create(PhpParser\ParserFactory::PREFER_PHP7, $lexer);
$plain = new NodeTraverser();
$plain->addVisitor(new Plain());
while (($path = fgets(STDIN)) !== false) {
    $path = rtrim($path, "\n");
    $symbols = new Symbols();
    $whole = true;
    try {
        $symbols->walk($plain->traverse($parser->parse(file_get_contents($path))), '');
    } catch (PhpParser\Error $error) {
        $whole = false;
    }
    echo json_encode(['path' => $path, 'whole' => $whole, 'symbols' => $symbols->found]), "\n";
}
