(function_declaration name: (_) @name parameters: (_) @parameters) @function
(method_declaration receiver: (parameter_list (parameter_declaration type: (_) @owner)) name: (_) @name parameters: (_) @parameters) @function
(type_spec name: (_) @name type: (struct_type)) @struct
(type_spec name: (_) @name type: (interface_type)) @interface
(type_spec name: (_) @name type: [(type_identifier) (qualified_type) (pointer_type) (array_type) (slice_type) (map_type) (channel_type) (function_type) (generic_type)]) @type
(type_alias name: (_) @name) @type
(method_elem name: (_) @name parameters: (_) @parameters) @function
(source_file (const_declaration (const_spec (identifier) @name) @constant))
(source_file (var_declaration (var_spec name: (_) @name) @constant))
(source_file (var_declaration (var_spec_list (var_spec name: (_) @name) @constant)))
(struct_type (field_declaration_list (field_declaration !name type: (_) @base)))
(interface_type (type_elem (_) @base))
(package_clause (package_identifier) @package)

(call_expression function: (identifier) @name arguments: (_) @arguments) @call
(call_expression function: (selector_expression operand: (_) @receiver field: (_) @name) arguments: (_) @arguments) @call
(call_expression function: (type_instantiation_expression type: (_) @name) arguments: (_) @arguments) @call
(composite_literal type: [(type_identifier) (qualified_type)] @name) @call

(import_spec) @import

(parameter_declaration name: (_) @variable type: (_) @of) @binding
(short_var_declaration left: (expression_list . (identifier) @variable) right: (expression_list . (unary_expression operand: (composite_literal type: (_) @of)))) @binding
(short_var_declaration left: (expression_list . (identifier) @variable) right: (expression_list . (composite_literal type: (_) @of))) @binding
(var_spec name: (_) @variable type: (_) @of) @binding
(field_declaration name: (_) @variable type: (_) @of) @binding.field

(comment) @comment
[(interpreted_string_literal) (raw_string_literal) (rune_literal)] @text
