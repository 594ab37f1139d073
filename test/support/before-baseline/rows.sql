-- One row for each table that the demo leaves empty. Each statement runs on both engines, and ends with a line that is empty.
INSERT INTO users (id, email, password_hash, created_at)
  SELECT 'member', 'noor@larder.example', password_hash, created_at FROM users WHERE email = 'you@larder.example';

INSERT INTO app_members (app_id, user_id, role, created_at, read_until, visited_at)
  SELECT id, 'member', 'maintainer', created_at, created_at, created_at FROM apps;

INSERT INTO apps (id, owner_id, name, feedback_enabled, changelog_enabled, created_at)
  SELECT 'half-imported', owner_id, 'Half of Larder', 1, 1, created_at FROM apps;

INSERT INTO imports (app_id, alive_at)
  SELECT id, created_at FROM apps WHERE id = 'half-imported';

INSERT INTO account_links (token_hash, kind, user_id, email, expires_at)
  SELECT 'account-link', 'reset', id, email, '2026-11-28T12:00:00.000Z' FROM users WHERE id = 'member';

INSERT INTO answering_members (user_id, app_id, feedback_id, noted_at)
  SELECT 'member', app_id, id, created_at FROM feedback WHERE seq = 1;

INSERT INTO audit (id, at, owner_id, actor, action, app_id, target, address, label, changes)
  SELECT 'audit', created_at, owner_id, 'noor@larder.example, token sdm_a1b2c3', 'feedback.update', id, 'thread',
    '192.0.2.7', 'Fewer steps', '[{"field":"status","from":"open","to":"resolved"}]' FROM apps WHERE name = 'Larder';

INSERT INTO blocked_senders (id, app_id, kind, sender, created_by, created_at)
  SELECT 'block', id, 'address', 'spam@advert.example', 'member', created_at FROM apps WHERE name = 'Larder';

INSERT INTO byte_uses (key_id, minute, bytes)
  SELECT id, 29930000, 1666 FROM app_keys;

INSERT INTO changelog_feedback (entry_id, feedback_id)
  SELECT min(e.id), min(f.id) FROM changelog_entries e, feedback f WHERE f.seq = 1;

INSERT INTO drafts (id, user_id, page, form, field, writer, content, updated_at)
  SELECT 'draft', 'member', '/console/feedback', 'reply', 'body', 'tab', min(key_sealed), '2026-11-28T09:00:00.000Z'
    FROM slots WHERE key_sealed IS NOT NULL;

INSERT INTO erasures (id, owner_id, person_hash, status, place, files, counts, created_at, finished_at, backups_until)
  SELECT 'erasure', owner_id, 'c0ffee', 'done', '{}', '[]', '{"threads":1}', created_at, created_at,
    '2026-12-28T00:00:00.000Z' FROM apps WHERE name = 'Larder';

INSERT INTO events (id, app_id, type, subject_id, facts, created_at)
  SELECT 'event', app_id, 'feedback.received', id, '{}', created_at FROM feedback WHERE seq = 1;

INSERT INTO failure_runs (feedback_id, app_id, scope, run, reported_at, parts)
  SELECT id, app_id, 'main', '4711', created_at, '["login","sync"]' FROM feedback WHERE seq = 2;

INSERT INTO former_apps (user_id, app_id)
  VALUES ('member', 'an-app-that-is-gone');

INSERT INTO idempotency (scope, key, fingerprint, status, body, expires_at, app_id)
  SELECT 'key', 'from-ci', 'f1', 201, '{"id":"x"}', '2026-11-29T09:00:00.000Z', id FROM apps WHERE name = 'Larder';

INSERT INTO identities (issuer, subject, user_id, created_at)
  VALUES ('https://accounts.example', '1180', 'member', '2026-11-28T09:00:00.000Z');

INSERT INTO imported_people (id, app_id, email)
  VALUES ('imported', 'half-imported', 'old-tester@testers.example');

INSERT INTO invitations (id, app_id, email, role, token_hash, invited_by, created_at, expires_at)
  SELECT 'invitation', id, 'sam@larder.example', 'viewer', 'invitation-link', owner_id, created_at,
    '2026-12-05T09:00:00.000Z' FROM apps WHERE name = 'Larder';

INSERT INTO mail_addresses (app_id, recipient, confirmed_at)
  SELECT id, 'jo@users.example', created_at FROM apps WHERE name = 'Larder';

INSERT INTO mail_originals (
    id, app_id, feedback_id, report_id, upload, key_sealed, recipient, sender, addresses, subject, excerpt, created_at)
  SELECT 'original', f.app_id, f.id, f.id, (SELECT min(name) FROM uploads),
    (SELECT min(key_sealed) FROM slots WHERE key_sealed IS NOT NULL), 'jo@users.example', 'jo@users.example',
    'jo@users.example', 'Re: the list is empty', 'It works now, thank you.', f.created_at FROM feedback f WHERE f.seq = 1;

INSERT INTO mailboxes (name, uid_validity, last_uid, tried_uid, attempts, tried_at)
  VALUES ('INBOX', '1', 12, 13, 1, '2026-11-28T09:00:00.000Z');

INSERT INTO mails (
    id, app_id, kind, lane, subject_id, recipient, status, attempts, due_at, send_before, created_at, settled_at, report_id)
  SELECT 'mail', app_id, 'reply', 'senders', id, 'jo@users.example', 'sent', 1, created_at, created_at, created_at,
    created_at, id FROM feedback WHERE seq = 1;

INSERT INTO oauth_clients (id, name, redirects, created_at, used_at)
  VALUES ('client', 'An editor', '["http://127.0.0.1/done"]', '2026-11-28T09:00:00.000Z', '2026-11-28T09:01:00.000Z');

INSERT INTO oauth_codes (
    code_hash, user_id, client_id, client_name, redirect, challenge, app_id, scopes, created_at, expires_at)
  SELECT 'oauth-code', owner_id, 'client', 'An editor', 'http://127.0.0.1/done', 'c', id, '["feedback:read"]', created_at,
    created_at FROM apps WHERE name = 'Larder';

INSERT INTO oauth_tokens (token_hash, connection_id, client_id, kind, created_at, expires_at)
  SELECT 'oauth-token', id, 'client', 'refresh', created_at, '2026-12-28T09:00:00.000Z' FROM tokens WHERE kind = 'agent';

INSERT INTO outbox (
    id, app_id, kind, subject_id, target, payload, status, attempts, due_at, created_at, sent_at)
  SELECT 'outgoing', app_id, 'chat', id, (SELECT min(key_sealed) FROM slots WHERE key_sealed IS NOT NULL), '{}', 'sent', 1,
    created_at, created_at, created_at FROM feedback WHERE seq = 1;

INSERT INTO passkeys (id, user_id, name, credential_id, public_key, counter, transports, created_at)
  VALUES ('passkey', 'member', 'Laptop', 'credential', 'key', 3, '["internal"]', '2026-11-28T09:00:00.000Z');

INSERT INTO rate_limits (key, times, stale_hour)
  VALUES ('sign-in', '1795856400000', 498999);

INSERT INTO recovery_codes (code_hash, user_id)
  VALUES ('recovery', 'member');

INSERT INTO saved_replies (id, app_id, title, body, updated_by, created_at, updated_at)
  SELECT 'saved', id, 'Thanks', 'Thank you for the report.', 'member', created_at, created_at FROM apps WHERE name = 'Larder';

INSERT INTO second_factors (id, last_step, created_at)
  VALUES ('member', 0, '2026-11-28T09:00:00.000Z');

INSERT INTO sessions (token_hash, user_id, created_at, expires_at, id, browser)
  VALUES ('session', 'member', '2026-11-28T09:00:00.000Z', '2026-12-28T09:00:00.000Z', 's', 'Firefox on Linux');

INSERT INTO sign_in_codes (
    code_hash, user_id, device_id, device_name, challenge, created_at, expires_at, used_at)
  VALUES ('code', 'member', 'phone', 'Pixel', 'c', '2026-11-28T09:00:00.000Z', '2026-11-28T09:10:00.000Z',
    '2026-11-28T09:01:00.000Z');

INSERT INTO tags (id, app_id, name, name_key, colour, created_at)
  SELECT 'tag', id, 'Sync', 'sync', 'blue', created_at FROM apps WHERE name = 'Larder';

INSERT INTO thread_tags (feedback_id, tag_id, created_at, active_at, status)
  SELECT id, 'tag', created_at, coalesce(active_at, created_at), status FROM feedback WHERE seq = 1;

INSERT INTO thread_looks (app_id, user_id, feedback_id, seen_count, looked_at, active_at)
  SELECT app_id, 'member', id, activity_count, created_at, coalesce(active_at, created_at) FROM feedback WHERE seq = 1;

UPDATE feedback SET assignee_id = 'member' WHERE seq = 1;
