"""Pictures of memories and their relations, as Mermaid, DOT, GraphML or SVG."""
