// Package store persists accounts, tokens, datasets, training jobs, models,
// predictions and the job queue in SQLite.
//
// Every table has the same methods on [Tx]: Insert, Get, List, Update or
// Finish, Delete. One [Store.Write] is one transaction. A change of state names
// the state it starts from, so that of two concurrent changes one succeeds and
// the other gets [ErrWrongState].
//
//	write   one connection, transactions that lock at once (BEGIN IMMEDIATE):
//	        writers queue in Go or wait in SQLite, and never fail with SQLITE_BUSY
//	read    a few connections, each transaction a snapshot that blocks nobody
//
// Several processes may share the folder. Each holds a lock file while it runs,
// which lets the others see at once that the leases of a killed process are
// free ([Store.Alive]).
//
// The SQL is the subset that SQLite and PostgreSQL share: times are BIGINT
// microseconds, JSON is TEXT, booleans are INTEGER.
package store
