/** The fixtures that both suites need: the scenario, the fixture, and the checks that fail without it. */
const fixtures = [
  ["completion-complete", "prompt test_prompt_with_arguments", "completion-complete"],
  ["json-schema-2020-12", "tool json_schema_2020_12_tool", "json-schema-2020-12-tool-found"],
  [
    "prompts-get-embedded-resource",
    "prompt test_prompt_with_embedded_resource",
    "prompts-get-embedded-resource",
  ],
  ["prompts-get-simple", "prompt test_simple_prompt", "prompts-get-simple"],
  ["prompts-get-with-args", "prompt test_prompt_with_arguments", "prompts-get-with-args"],
  ["prompts-get-with-image", "prompt test_prompt_with_image", "prompts-get-with-image"],
  ["resources-read-binary", "resource test://static-binary", "resources-read-binary"],
  ["resources-read-text", "resource test://static-text", "resources-read-text"],
  ["resources-templates-read", "resource test://template/123/data", "resources-templates-read"],
  ["tools-call-audio", "tool test_audio_content", "tools-call-audio"],
  ["tools-call-embedded-resource", "tool test_embedded_resource", "tools-call-embedded-resource"],
  ["tools-call-error", "tool test_error_handling", "tools-call-error"],
  ["tools-call-image", "tool test_image_content", "tools-call-image"],
  ["tools-call-mixed-content", "tool test_multiple_content_types", "tools-call-mixed-content"],
  ["tools-call-simple-text", "tool test_simple_text", "tools-call-simple-text"],
  ["tools-call-with-progress", "tool test_tool_with_progress", "tools-call-with-progress"],
];

/** Only in the version with `initialize`. Innkeep has no MCP sessions, and no features that need one. */
const older = [
  ["elicitation-sep1034-defaults", "tool test_elicitation_sep1034_defaults", "elicitation-sep1034-general"],
  ["elicitation-sep1330-enums", "tool test_elicitation_sep1330_enums", "elicitation-sep1330-general"],
  ["logging-set-level", "method logging/setLevel, which 2026-07-28 takes out", "logging-set-level"],
  ["resources-subscribe", "method resources/subscribe, which needs a session", "resources-subscribe"],
  ["resources-unsubscribe", "method resources/unsubscribe, which needs a session", "resources-unsubscribe"],
  ["server-sse-multiple-streams", "a session (a warning)", "server-sse-multiple-streams-session"],
  [
    "server-sse-polling",
    "a session, and streams that resume (warnings)",
    "server-sse-polling-session",
    "server-sse-priming-event",
    "server-sse-retry-field",
  ],
  ["tools-call-elicitation", "tool test_elicitation", "tools-call-elicitation"],
  ["tools-call-sampling", "tool test_sampling", "tools-call-sampling"],
  ["tools-call-with-logging", "tool test_tool_with_logging", "tools-call-with-logging"],
];

const inputRequired = [
  ["basic-elicitation", "tool test_input_required_result_elicitation", "sep-2322-elicitation-incomplete"],
  ["basic-list-roots", "tool test_input_required_result_list_roots", "sep-2322-list-roots-incomplete"],
  ["basic-sampling", "tool test_input_required_result_sampling", "sep-2322-sampling-incomplete"],
  [
    "capability-check",
    "tool test_input_required_result_capabilities",
    "sep-2322-respect-client-capabilities",
  ],
  ["ignore-extra-params", "tool test_input_required_result_elicitation", "sep-2322-ignore-unexpected-params"],
  [
    "missing-input-response",
    "tool test_input_required_result_elicitation",
    "sep-2322-missing-response-rerequests",
  ],
  ["multi-round", "tool test_input_required_result_multi_round", "sep-2322-multi-round-r1"],
  [
    "multiple-input-requests",
    "tool test_input_required_result_multiple_inputs",
    "sep-2322-multiple-inputs-incomplete",
  ],
  ["non-tool-request", "prompt test_input_required_result_prompt", "sep-2322-non-tool-incomplete"],
  ["request-state", "tool test_input_required_result_request_state", "sep-2322-request-state-incomplete"],
  ["result-type", "tool test_input_required_result_elicitation", "sep-2322-result-type-included"],
  ["tampered-state", "tool test_input_required_result_tampered_state", "sep-2322-reject-tampered-state"],
];

/** It is part of the extension for tasks, which Innkeep does not offer. The suite runs it but does not count it. */
const tasks = [
  [
    "capability-negotiation",
    "tool slow_compute",
    "tasks-extension-advertised",
    "sep-2663-tasks-methods-non-declaring",
    "sep-2663-server-rejects-undeclared-client",
    "tasks-per-request-meta-opt-in",
  ],
  [
    "dispatch-and-envelope",
    "tools greet, slow_compute, failing_job",
    "tasks-server-directed-creation-no-hint",
    "sep-2663-legacy-task-param-ignored",
    "tasks-immediate-result-shortcut",
    "tasks-result-type-complete-on-non-task-responses",
    "sep-2663-durable-create-strong-consistency",
    "sep-2663-tasks-get-invalid-task-id-32602",
  ],
  [
    "lifecycle",
    "tools greet, slow_compute, failing_job, protocol_error_job",
    "tasks-sync-tool-call",
    "sep-2663-result-type-task-on-create",
    "sep-2663-tasks-get-status-working",
    "sep-2663-tasks-get-status-completed",
    "sep-2663-tool-error-uses-completed-status",
    "sep-2663-tasks-get-status-failed",
    "sep-2663-cancel-ack-empty-result",
    "tasks-cancel-terminal-idempotent-ack",
  ],
  ["mrtr-composition", "tool test_tool_with_task", "sep-2663-mrtr-synchronous-before-task-creation"],
  [
    "mrtr-input",
    "tools confirm_delete, multi_input",
    "sep-2663-tasks-get-status-input-required",
    "tasks-mrtr-tasks-update-resumes",
    "tasks-mrtr-partial-fulfillment",
  ],
  [
    "request-headers",
    "tools greet, slow_compute",
    "tasks-headers-tolerate-mcp-method-on-tools-call",
    "sep-2663-routing-headers-accepted-on-tasks-get",
    "sep-2663-server-rejects-mismatched-mcp-name-on-tasks-get",
  ],
  ["request-state-removal", "tool slow_compute", "tasks-request-state-removal-setup"],
  ["required-task-error", "tool failing_job", "sep-2663-server-returns-missing-capability-when-required"],
  [
    "wire-fields",
    "tool slow_compute",
    "tasks-wire-field-renames",
    "tasks-no-early-ttl-expiry",
    "tasks-no-related-task-meta-on-inlined-result",
  ],
];

const newer = [
  [
    "server-stateless",
    "tools test_missing_capability, test_streaming_elicitation, test_logging_tool",
    "sep-2575-server-rejects-undeclared-capability",
    "sep-2575-missing-capability-http-400",
    "sep-2575-http-server-no-independent-requests-on-stream",
    "sep-2575-server-no-log-without-loglevel",
  ],
  [
    "http-custom-header-server-validation",
    "a tool with x-mcp-header",
    "sep-2243-server-no-xmcp-tool",
    "sep-2243-server-decode-base64",
    "sep-2243-server-validate-param-match",
    "sep-2243-server-reject-invalid-param-chars",
    "sep-2243-server-reject-param-mismatch",
  ],
  ...inputRequired.map(([name, ...rest]) => [`input-required-result-${name}`, ...rest]),
  ...tasks.map(([name, ...rest]) => [`tasks-${name}`, ...rest]),
];

/**
 * The official suites. `unmet` lists the scenarios that need features which Innkeep does not offer. All others pass.
 */
export const suites = [
  { name: "2025-11-25", version: "0.1.16", flags: ["--suite", "all"], unmet: [...fixtures, ...older] },
  {
    name: "2026-07-28",
    version: "0.2.0-alpha.12",
    flags: ["--requirements", "2026-07-28"],
    unmet: [...fixtures, ...newer],
  },
];
