(struct_item name: (_) @name) @struct
(union_item name: (_) @name) @struct
(enum_item name: (_) @name) @enum
(trait_item name: (_) @name) @trait
(type_item name: (_) @name) @type
(function_item name: (_) @name parameters: (_) @parameters) @function
(function_signature_item name: (_) @name parameters: (_) @parameters) @function
(const_item name: (_) @name) @constant
(static_item name: (_) @name) @constant
(macro_definition name: (_) @name) @macro
(mod_item name: (_) @name body: (_)) @module
(impl_item type: (_) @name) @scope.impl
(trait_item bounds: (trait_bounds (_) @base))

(call_expression function: (identifier) @name arguments: (_) @arguments) @call
(call_expression function: (field_expression value: (_) @receiver field: (_) @name) arguments: (_) @arguments) @call
(call_expression function: (scoped_identifier path: (_)? @receiver name: (_) @name) arguments: (_) @arguments) @call
(call_expression function: (generic_function function: (identifier) @name) arguments: (_) @arguments) @call
(call_expression function: (generic_function function: (field_expression value: (_) @receiver field: (_) @name)) arguments: (_) @arguments) @call
(call_expression function: (generic_function function: (scoped_identifier path: (_)? @receiver name: (_) @name)) arguments: (_) @arguments) @call
(struct_expression name: (_) @name) @call
(macro_invocation macro: (identifier) @name) @call.macro
(token_tree (identifier) @name . (token_tree) @arguments) @call.token
(macro_invocation (token_tree) @inner)

(use_declaration) @import
(extern_crate_declaration) @import
(mod_item !body) @import

(attribute_item) @mark

(parameter pattern: (identifier) @variable type: (_) @of) @binding
(let_declaration pattern: (identifier) @variable type: (_) @of) @binding
(let_declaration pattern: (identifier) @variable value: (call_expression function: (scoped_identifier path: (_) @of name: (identifier) @made)) (#any-of? @made "new" "default" "from" "with_capacity")) @binding
(let_declaration pattern: (identifier) @variable value: (struct_expression name: (_) @of)) @binding
(field_declaration name: (_) @variable type: (_) @of) @binding.field

[(line_comment) (block_comment)] @comment
[(string_literal) (raw_string_literal) (char_literal)] @text
[(tuple_expression) (tuple_type) (tuple_pattern)] @group
(match_arm "," @drop .)
