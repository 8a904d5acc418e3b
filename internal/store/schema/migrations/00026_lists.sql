-- +goose Up
-- The trainings of a dataset are listed and counted without reading all those of the account. SQLite has
-- no statistics and would prefer an index of only the account, so this index begins with both columns.
DROP INDEX training_dataset;
CREATE INDEX training_dataset ON training (dataset, account, created, key, parent);
-- Queued and running trainings are few. Their index has all columns that select and order them. SQLite would
-- otherwise read all trainings of the account, because another index also has the order of the list.
DROP INDEX training_status;
CREATE INDEX training_active ON training (account, created, key, parent, position, status) WHERE status IN ('PENDING', 'RUNNING');
-- For the events with an action and an actor, SQLite uses the index that was created last. It should be
-- that of the actor, because an actor usually has fewer events.
DROP INDEX audit_event_actor;
CREATE INDEX audit_event_action ON audit_event (action, time);
CREATE INDEX audit_event_actor ON audit_event (actor, time);
CREATE INDEX outbox_account ON outbox (account, kind);

-- +goose Down
DROP INDEX outbox_account;
DROP INDEX audit_event_action;
DROP INDEX training_active;
CREATE INDEX training_status ON training (account, status);
DROP INDEX training_dataset;
CREATE INDEX training_dataset ON training (dataset);
