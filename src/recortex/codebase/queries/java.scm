(class_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @interface
(annotation_type_declaration name: (_) @name) @interface
(enum_declaration name: (_) @name) @enum
(record_declaration name: (_) @name parameters: (_) @parameters) @class
(method_declaration name: (_) @name parameters: (_) @parameters) @function
(constructor_declaration name: (_) @name parameters: (_) @parameters) @function
(compact_constructor_declaration name: (_) @name) @function
(annotation_type_element_declaration name: (_) @name) @function
(field_declaration (modifiers "static" "final") declarator: (variable_declarator name: (_) @name)) @constant
(superclass (_) @base)
(super_interfaces (type_list (_) @base))
(extends_interfaces (type_list (_) @base))
(package_declaration [(identifier) (scoped_identifier)] @package)

(method_invocation !object name: (_) @name arguments: (_) @arguments) @call
(method_invocation object: (_) @receiver name: (_) @name arguments: (_) @arguments) @call
(object_creation_expression type: (_) @name arguments: (_) @arguments) @call
(method_reference . (_) @receiver (identifier) @name .) @call

(import_declaration) @import

[(annotation) (marker_annotation)] @mark

(formal_parameter type: (_) @of name: (_) @variable) @binding
(local_variable_declaration type: (_) @of declarator: (variable_declarator name: (_) @variable)) @binding
(enhanced_for_statement type: (_) @of name: (_) @variable) @binding
(resource type: (_) @of name: (_) @variable) @binding
(field_declaration type: (_) @of declarator: (variable_declarator name: (_) @variable)) @binding.field

[(line_comment) (block_comment)] @comment
[(string_literal) (character_literal)] @text
