<?php
// Definitions and imports of files of PHP, as the parser of Nikita Popov reads them.
// php facts.php AUTOLOAD_OF_PHP_PARSER, paths on standard input; prints a JSON line for each file.
require $argv[1];

use PhpParser\Node;

$parser = (new PhpParser\ParserFactory())->create(PhpParser\ParserFactory::ONLY_PHP7);
while (($path = fgets(STDIN)) !== false) {
    $path = trim($path);
    $definitions = $imports = [];
    $unread = false;
    try {
        $walk = function ($node) use (&$walk, &$definitions, &$imports) {
            foreach (is_array($node) ? $node : [] as $one) {
                $walk($one);
            }
            if (!$node instanceof Node) {
                return;
            }
            $named = $node instanceof Node\Stmt\ClassLike || $node instanceof Node\Stmt\ClassMethod
                || $node instanceof Node\Stmt\Function_;
            if ($named && $node->name) {
                $definitions[] = [$node->name->toString(), $node->name->getStartLine()];
            } elseif ($node instanceof Node\Stmt\Use_ || $node instanceof Node\Stmt\GroupUse) {
                $prefix = $node instanceof Node\Stmt\GroupUse ? $node->prefix->toString() . '\\' : '';
                foreach ($node->uses as $one) {
                    $imports[] = [str_replace('\\', '.', $prefix . $one->name->toString()), $node->getStartLine()];
                }
            }
            foreach ($node->getSubNodeNames() as $name) {
                $walk($node->$name);
            }
        };
        $walk($parser->parse(file_get_contents($path)));
    } catch (PhpParser\Error $error) {
        $unread = true;
    }
    echo json_encode(compact('path', 'unread', 'definitions', 'imports')), "\n";
}
