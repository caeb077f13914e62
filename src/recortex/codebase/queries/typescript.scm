(class_declaration name: (_) @name) @class
(abstract_class_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @interface
(type_alias_declaration name: (_) @name) @type
(enum_declaration name: (_) @name) @enum
(internal_module name: (_) @name) @module
(module name: (_) @name) @module
(function_signature name: (_) @name parameters: (_) @parameters) @declaration
(abstract_method_signature name: (_) @name parameters: (_) @parameters) @function
(method_signature name: (_) @name parameters: (_) @parameters) @function
(public_field_definition name: (_) @name value: [(function_expression parameters: (_) @parameters) (arrow_function parameters: (_) @parameters) (arrow_function parameter: (_) @parameters)]) @function
(extends_clause value: (_) @base)
(implements_clause (_) @base)
(extends_type_clause type: (_) @base)

(required_parameter pattern: (identifier) @variable type: (type_annotation (_) @of)) @binding
(optional_parameter pattern: (identifier) @variable type: (type_annotation (_) @of)) @binding
(variable_declarator name: (identifier) @variable type: (type_annotation (_) @of)) @binding
(public_field_definition name: (_) @variable type: (type_annotation (_) @of)) @binding.field
(public_field_definition name: (_) @variable value: (new_expression constructor: (_) @of)) @binding.field
(required_parameter (accessibility_modifier) pattern: (identifier) @variable type: (type_annotation (_) @of)) @binding.promoted
(arrow_function parameters: (formal_parameters . (required_parameter pattern: (identifier) !type !value) .) @bracket)
(parenthesized_type) @bracket
[(as_expression) (satisfies_expression) (function_type) (conditional_type) (index_type_query)] @group
(union_type (_) "|" (_)) @group
(intersection_type (_) "&" (_)) @group
(union_type . "|" @drop)
(intersection_type . "&" @drop)
