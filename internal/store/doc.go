// Package store persists accounts, tokens, datasets, training jobs, models,
// predictions and the job queue in SQLite.
//
// Every table has the same methods on [Tx]: Insert, Get, List, Update or
// Finish, Delete. One [Store.Write] is one transaction. An update passes the
// state that the row must have (fromState). If two updates start from the same
// state, one succeeds and the other returns [ErrWrongState].
//
//	write   one connection; a transaction takes the write lock when it begins
//	        (BEGIN IMMEDIATE), so that writers wait and never get SQLITE_BUSY
//	read    a few connections; a transaction reads a snapshot and blocks no other
//
// Several processes may share the folder. Each holds a locked file while it runs.
// When it dies, the others find the file unlocked ([Store.IsAlive]) and take
// over its jobs at once.
//
// The SQL is the subset that SQLite and PostgreSQL share: times are BIGINT
// microseconds, JSON is TEXT, booleans are INTEGER.
package store
