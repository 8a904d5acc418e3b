// Package store persists accounts, tokens, datasets, training jobs, models,
// predictions and the job queue in SQLite or PostgreSQL.
//
// The methods of [Tx] begin with the same verbs for all tables, such as Insert, Get, List, Update and
// Delete. One [Store.Write] is one transaction. An update has a parameter fromState, the state that
// the row must have before. Of two concurrent updates with the same fromState, one succeeds and the
// other returns [ErrWrongState].
//
// Transactions have the effect of running one after the other. Several processes may share a
// database. With SQLite they run on one machine: when a process dies, the other processes find its
// file unlocked ([Store.IsProcessAlive]) and take over its jobs at once. With PostgreSQL they run
// on any number of machines, and take over the jobs of a process ten seconds after its last
// heartbeat.
//
// The SQL is the subset that SQLite and PostgreSQL share: placeholders are ?, times are BIGINT
// microseconds, JSON is TEXT, booleans are INTEGER. Where the two need different SQL, it is in
// dialect.go.
//
// What is not about the rows of the tables is in four packages below this one:
//
//	database   connections and transactions of SQLite and PostgreSQL, and their errors
//	schema     the tables, as numbered migrations
//	process    which of the processes that share the database are alive
//	pgurl      URLs of PostgreSQL databases
package store
