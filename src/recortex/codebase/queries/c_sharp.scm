(class_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @interface
(struct_declaration name: (_) @name) @struct
(enum_declaration name: (_) @name) @enum
(record_declaration name: (_) @name) @class
(delegate_declaration name: (_) @name parameters: (_) @parameters) @type
(method_declaration name: (_) @name parameters: (_) @parameters) @function
(constructor_declaration name: (_) @name parameters: (_) @parameters) @function
(local_function_statement name: (_) @name parameters: (_) @parameters) @function
(property_declaration name: (_) @name) @property
(field_declaration (modifier "const") (variable_declaration (variable_declarator name: (_) @name))) @constant
(field_declaration (modifier "static") (modifier "readonly") (variable_declaration (variable_declarator name: (_) @name))) @constant
(namespace_declaration name: (_) @name) @scope
(file_scoped_namespace_declaration name: (_) @package)
(base_list [(identifier) (generic_name) (qualified_name)] @base)
(base_list (primary_constructor_base_type type: (_) @base))

(invocation_expression function: (identifier) @name arguments: (_) @arguments) @call
(invocation_expression function: (generic_name . (identifier) @name) arguments: (_) @arguments) @call
(invocation_expression function: (member_access_expression expression: (_) @receiver name: (identifier) @name) arguments: (_) @arguments) @call
(invocation_expression function: (member_access_expression . ["this" "base"] @receiver name: (identifier) @name) arguments: (_) @arguments) @call
(invocation_expression function: (member_access_expression expression: (_) @receiver name: (generic_name . (identifier) @name)) arguments: (_) @arguments) @call
(invocation_expression function: (member_access_expression . ["this" "base"] @receiver name: (generic_name . (identifier) @name)) arguments: (_) @arguments) @call
(invocation_expression function: (conditional_access_expression condition: (_) @receiver (member_binding_expression name: (_) @name)) arguments: (_) @arguments) @call
(object_creation_expression type: (_) @name arguments: (_)? @arguments) @call

(using_directive) @import

(attribute) @mark

(parameter type: (_) @of name: (_) @variable) @binding
(variable_declaration type: [(identifier) (qualified_name) (generic_name) (nullable_type) (predefined_type) (array_type)] @of (variable_declarator name: (_) @variable)) @binding
(variable_declaration type: (implicit_type) (variable_declarator name: (_) @variable (object_creation_expression type: (_) @of))) @binding
(field_declaration (variable_declaration type: (_) @of (variable_declarator name: (_) @variable))) @binding.field
(property_declaration type: (_) @of name: (_) @variable) @binding.field
(foreach_statement type: (_) @of left: (identifier) @variable) @binding

(comment) @comment
[(string_literal) (verbatim_string_literal) (raw_string_literal) (character_literal) (interpolated_string_expression)] @text
