(class_definition name: (identifier) @name) @class
(function_definition name: (identifier) @name parameters: (parameters) @parameters) @function
(module (expression_statement (assignment left: (identifier) @name) @constant))
(class_definition body: (block (expression_statement (assignment left: (identifier) @name) @constant)))
(class_definition superclasses: (argument_list [(identifier) (attribute) (subscript)] @base))

(call function: (identifier) @name arguments: (_) @arguments) @call
(call function: (attribute object: (_) @receiver attribute: (identifier) @name) arguments: (_) @arguments) @call

(import_statement) @import
(import_from_statement) @import
(future_import_statement) @import

(decorator) @mark

(typed_parameter . (identifier) @variable type: (type) @of) @binding
(typed_default_parameter name: (identifier) @variable type: (type) @of) @binding
(assignment left: [(identifier) (attribute object: (identifier))] @variable type: (type) @of) @binding
(assignment left: [(identifier) (attribute object: (identifier))] @variable right: (call function: (_) @of)) @binding
(with_item value: (as_pattern (call function: (_) @of) alias: (as_pattern_target (identifier) @variable))) @binding

(comment) @comment
(string) @text
(block) @block
(module . (comment)* . (expression_statement . (string) @docstring .))
(block . (comment)* . (expression_statement . (string) @docstring .))
[(parenthesized_expression) (tuple) (tuple_pattern)] @bracket
[(binary_operator) (boolean_operator) (comparison_operator) (not_operator) (unary_operator) (conditional_expression) (lambda) (await) (named_expression) (yield) (tuple) (expression_list) (pattern_list) (union_type)] @group
(tuple_pattern ",") @group
(expression_list "," @drop .)
(import_from_statement "(" @drop ")" @drop)
(with_clause "(" @drop ")" @drop)
(class_definition superclasses: (argument_list) @bracket)
