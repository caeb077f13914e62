"""Documents: Markdown, text, reStructuredText and notebooks, kept in parts that recall and frame find."""

from recortex.plugins import Capability

CAPABILITY = Capability(
    operations=("recortex.documents.operations:DocumentOperations",),
    heading="Find",
    tables={
        "documents": "recortex.documents.records:DocumentRecords",
        "chunk_search": "recortex.documents.records:ChunkSearchRecords",
        "chunk_vectors": "recortex.documents.records:ChunkVectorRecords",
    },
    kept="recortex.documents.operations:keep_files",
    answer="recortex.documents.retrieval:StoreAnswers",
)
