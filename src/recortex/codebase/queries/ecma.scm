(function_declaration name: (identifier) @name parameters: (_) @parameters) @function
(generator_function_declaration name: (identifier) @name parameters: (_) @parameters) @function
(export_statement "default" value: (function_expression !name parameters: (_) @parameters) @function)
(export_statement "default" value: (arrow_function parameters: (_) @parameters) @function)
(export_statement "default" value: (arrow_function parameter: (_) @parameters) @function)
(method_definition name: (_) @name parameters: (_) @parameters) @function
(variable_declarator name: (identifier) @name value: [(function_expression parameters: (_) @parameters) (generator_function parameters: (_) @parameters)]) @function
(variable_declarator name: (identifier) @name value: (arrow_function parameters: (_) @parameters)) @function
(variable_declarator name: (identifier) @name value: (arrow_function parameter: (_) @parameters)) @function
(variable_declarator name: (identifier) @name value: (call_expression function: [(identifier) @made (member_expression property: (property_identifier) @made)] arguments: (arguments . [(function_expression parameters: (_) @parameters) (arrow_function parameters: (_) @parameters) (arrow_function parameter: (_) @parameters)])) (#any-of? @made "memo" "forwardRef" "useCallback" "observer" "debounce" "throttle")) @function
(assignment_expression left: (member_expression property: (property_identifier) @name) @target right: [(function_expression parameters: (_) @parameters) (arrow_function parameters: (_) @parameters) (arrow_function parameter: (_) @parameters)]) @function
(pair key: [(property_identifier) (string)] @name value: [(function_expression parameters: (_) @parameters) (arrow_function parameters: (_) @parameters) (arrow_function parameter: (_) @parameters)]) @function
(variable_declarator name: (_) @name value: (class)) @class
(program (lexical_declaration (variable_declarator name: (identifier) @name) @constant))
(program (variable_declaration (variable_declarator name: (identifier) @name) @constant))
(program (export_statement (lexical_declaration (variable_declarator name: (identifier) @name) @constant)))

(call_expression function: (identifier) @name arguments: (_) @arguments) @call
(call_expression function: (member_expression object: (_) @receiver property: (_) @name) arguments: (_) @arguments) @call
(call_expression function: (super) @name arguments: (_) @arguments) @call
(new_expression constructor: (identifier) @name arguments: (_)? @arguments) @call
(new_expression constructor: (member_expression object: (_) @receiver property: (_) @name) arguments: (_)? @arguments) @call

(import_statement) @import
(export_statement source: (_)) @import
(variable_declarator name: (_) value: (call_expression function: (identifier) @required arguments: (arguments . (string))) (#eq? @required "require")) @import
(variable_declarator name: (_) value: (await_expression (call_expression function: (import) arguments: (arguments . (string))))) @import

(decorator) @mark
(export_statement "default" declaration: (_ name: (_) @name)) @default
(export_statement "default" value: (identifier) @name) @default
(assignment_expression left: (member_expression object: (identifier) @made property: (property_identifier) @required) right: (identifier) @name (#eq? @made "module") (#eq? @required "exports")) @default

(variable_declarator name: (identifier) @variable value: (new_expression constructor: (_) @of)) @binding
(assignment_expression left: (member_expression object: (this)) @variable right: (new_expression constructor: (_) @of)) @binding

(comment) @comment
[(string) (string_fragment) (regex)] @text
(parenthesized_expression) @bracket
[(binary_expression) (unary_expression) (update_expression) (ternary_expression) (assignment_expression) (augmented_assignment_expression) (await_expression) (yield_expression) (sequence_expression) (arrow_function) (new_expression)] @group
(pair key: (string) @bracket)
(member_expression object: (parenthesized_expression (member_expression (optional_chain)) @group))
(new_expression arguments: (arguments) @bracket)
