"""The tags between which programs put text into a conversation: ours, and those of the clients."""

OWN = "recortex-memory"

# What clients wrap around text that nobody typed (seen in transcripts of the clients named on the right).
WRAPPERS = (
    "system-reminder",  # Claude Code
    "persisted-output",
    "command-name",
    "command-message",
    "command-args",
    "command-contents",
    "local-command-stdout",
    "local-command-stderr",
    "local-command-caveat",
    "bash-input",
    "bash-stdout",
    "bash-stderr",
    "user-prompt-submit-hook",
    "task-notification",
    "agent-notification",
    "teammate-message",
    "agent-message",
    "cross-session-message",
    "coordinator-relay",
    "slack-ping",
    "slack-tag-message",
    "ide_opened_file",
    "ide_selection",
    "ide_diagnostics",
    "post-tool-use-hook",
    "untrusted_context",  # Gemini CLI
    "session_context",
    "hook_context",
    "loaded_context",
    "environment_context",  # Codex
    "user_instructions",
    "INSTRUCTIONS",
    "permissions instructions",
    "skills_instructions",
    "apps_instructions",
    "collaboration_mode",
    "subagent_notification",
    "turn_aborted",
    "user_shell_command",
)
