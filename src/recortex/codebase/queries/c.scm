(function_declarator declarator: [(identifier) (field_identifier)] @name parameters: (parameter_list) @parameters) @declarator
(function_definition type: (type_identifier) @name declarator: (parenthesized_declarator) @parameters) @function
(struct_specifier name: (_) @name body: (_)) @struct
(union_specifier name: (_) @name body: (_)) @struct
(enum_specifier name: (_) @name body: (_)) @enum
(type_definition declarator: (type_identifier) @name) @type
(preproc_function_def name: (_) @name parameters: (_) @parameters) @macro
(preproc_def name: (_) @name value: (_)) @constant

(call_expression function: (identifier) @name arguments: (_) @arguments) @call
(call_expression function: (field_expression argument: (_) @receiver field: (_) @name) arguments: (_) @arguments) @call

(preproc_include) @import

(parameter_declaration type: (type_identifier) @of declarator: (identifier) @variable) @binding
(parameter_declaration type: (_) @of declarator: (pointer_declarator declarator: (identifier) @variable)) @binding
(declaration type: (_) @of declarator: (identifier) @variable) @binding
(declaration type: (_) @of declarator: (pointer_declarator declarator: (identifier) @variable)) @binding
(declaration type: (_) @of declarator: (init_declarator declarator: (identifier) @variable)) @binding
(declaration type: (_) @of declarator: (init_declarator declarator: (pointer_declarator declarator: (identifier) @variable))) @binding

(comment) @comment
[(string_literal) (char_literal)] @text
