(class_declaration name: (_) @name) @class
(class_heritage [(identifier) (member_expression)] @base)
(field_definition property: (_) @name value: [(function_expression parameters: (_) @parameters) (arrow_function parameters: (_) @parameters) (arrow_function parameter: (_) @parameters)]) @function
(jsx_opening_element name: (identifier) @name) @call
(jsx_self_closing_element name: (identifier) @name) @call
(arrow_function parameters: (formal_parameters . (identifier) .) @bracket)
