// Package store persists accounts, tokens, datasets, training jobs, models,
// predictions and the job queue in SQLite or PostgreSQL.
//
// Every table has the same methods on [Tx]: Insert, Get, List, Update or Finish, Delete. One
// [Store.Write] is one transaction. An update has a parameter fromState, the state that the row
// must have before. Of two concurrent updates with the same fromState, one succeeds and the other
// returns [ErrWrongState].
//
//	           SQLite                           PostgreSQL
//	write      one connection; a transaction    a few connections; transactions are
//	           takes the write lock when it     serializable and run again after a
//	           begins, so that writers wait     conflict
//	           and never get SQLITE_BUSY
//	read       a few connections; a transaction reads a snapshot and blocks no other
//	processes  lock a file while they run       renew a row while they run
//	migration  while a file is locked           under an advisory lock
//
// With both, transactions have the effect of running one after the other. Several processes may
// share a database. With SQLite they run on one machine: when a process dies, the others find its
// file unlocked ([Store.IsProcessAlive]) and take over its jobs at once. With PostgreSQL they run
// on any number of machines, and take over the jobs of a process ten seconds after its last
// heartbeat.
//
// The SQL is the subset that SQLite and PostgreSQL share: placeholders are ?, times are BIGINT
// microseconds, JSON is TEXT, booleans are INTEGER. Where the two need different SQL, it is in
// dialect.go. A new migration is one file for both in migrations; for PostgreSQL, a file of the
// same name in migrations/postgres replaces it.
package store
