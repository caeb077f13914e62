(function_declarator declarator: [(qualified_identifier) (destructor_name) (operator_name) (template_function)] @name parameters: (parameter_list) @parameters) @declarator
(class_specifier name: (_) @name body: (_)) @class
(namespace_definition name: (_) @name) @scope
(alias_declaration name: (_) @name) @type
(base_class_clause [(type_identifier) (qualified_identifier) (template_type)] @base)

(call_expression function: (qualified_identifier) @name arguments: (_) @arguments) @call
(call_expression function: (template_function name: (_) @name) arguments: (_) @arguments) @call
(call_expression function: (field_expression argument: (_) @receiver field: (template_method name: (_) @name)) arguments: (_) @arguments) @call
(new_expression type: (_) @name arguments: (_)? @arguments) @call

(using_declaration) @import

(parameter_declaration type: (_) @of declarator: (reference_declarator (identifier) @variable)) @binding
(field_declaration type: (_) @of declarator: (field_identifier) @variable) @binding.field
(field_declaration type: (_) @of declarator: (pointer_declarator declarator: (field_identifier) @variable)) @binding.field

(raw_string_literal) @text
