(class_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @interface
(trait_declaration name: (_) @name) @trait
(enum_declaration name: (_) @name) @enum
(function_definition name: (_) @name parameters: (_) @parameters) @function
(method_declaration name: (_) @name parameters: (_) @parameters) @function
(const_declaration (const_element . (name) @name) @constant)
(namespace_definition name: (_) @name body: (_)) @scope
(namespace_definition name: (_) @package !body)
(base_clause (_) @base)
(class_interface_clause (_) @base)
(use_declaration (_) @base)

(function_call_expression function: (name) @name arguments: (_) @arguments) @call
(function_call_expression function: (qualified_name) @name arguments: (_) @arguments) @call
(member_call_expression object: (_) @receiver name: (name) @name arguments: (_) @arguments) @call
(nullsafe_member_call_expression object: (_) @receiver name: (name) @name arguments: (_) @arguments) @call
(scoped_call_expression scope: (_) @receiver name: (name) @name arguments: (_) @arguments) @call
(object_creation_expression . [(name) (qualified_name)] @name (arguments)? @arguments) @call

(namespace_use_declaration) @import
[(require_expression) (require_once_expression) (include_expression) (include_once_expression)] @import

(attribute) @mark

(simple_parameter type: (_) @of name: (_) @variable) @binding
(property_promotion_parameter type: (_) @of name: (_) @variable) @binding.promoted
(property_declaration type: (_) @of (property_element name: (_) @variable)) @binding.field
(assignment_expression left: (variable_name) @variable right: (object_creation_expression . (_) @of)) @binding
(assignment_expression left: (member_access_expression) @variable right: (object_creation_expression . (_) @of)) @binding

(comment) @comment
[(string) (encapsed_string) (heredoc) (nowdoc) (text)] @text
(parenthesized_expression) @bracket
[(binary_expression) (unary_op_expression) (update_expression) (assignment_expression) (augmented_assignment_expression) (conditional_expression) (cast_expression) (clone_expression) (object_creation_expression) (arrow_function) (anonymous_function) (yield_expression) (throw_expression) (include_expression) (include_once_expression) (require_expression) (require_once_expression) (print_intrinsic) (error_suppression_expression) (reference_assignment_expression) (match_expression)] @group
(function_call_expression function: (parenthesized_expression [(member_access_expression) (nullsafe_member_access_expression) (scoped_property_access_expression) (class_constant_access_expression)] @group))
(object_creation_expression (arguments) @bracket)
