package store

// sqlDialect holds the SQL that differs between SQLite and PostgreSQL.
type sqlDialect struct {
	// lockClaimsSQL is a statement that prevents other transactions from claiming a job of the same
	// kind until this transaction ends. skipLockedSQL is the end of a query of a table with the alias
	// j. With it, the query skips rows that other transactions are changing. Both are empty for
	// SQLite, where only one transaction at a time writes.
	lockClaimsSQL, skipLockedSQL string
	// aliveUntilSQL is an SQL expression for a row w of the table worker: the time at which the
	// worker is considered dead if it sends no further heartbeat. With SQLite, where workers
	// send no heartbeats, it is 0.
	aliveUntilSQL string
	// mayBeAliveSQL is an SQL condition on a row w of the table worker. It is false if the process
	// of the worker has no row, which means that the worker is dead.
	mayBeAliveSQL string
	// byteOrderCollation is the SQL after a text column that makes the database compare its
	// texts byte by byte.
	byteOrderCollation string
	// notifyJobsSQL is a statement that notifies other processes of a queued job when the
	// transaction is committed. Its argument is the kind of the job. It is empty for SQLite,
	// which has no such statement; see [Store.WatchJobs].
	notifyJobsSQL string
}

var sqliteSQL = &sqlDialect{aliveUntilSQL: "0", mayBeAliveSQL: "true", byteOrderCollation: " COLLATE BINARY"}

var postgresSQL = &sqlDialect{
	lockClaimsSQL:      "SELECT pg_advisory_xact_lock(hashtextextended(current_schema() || ' claims ' || ?, 0))",
	skipLockedSQL:      " FOR UPDATE OF j SKIP LOCKED",
	aliveUntilSQL:      "coalesce((SELECT p.until FROM process p WHERE p.name = w.process), 0)",
	mayBeAliveSQL:      "EXISTS (SELECT 1 FROM process p WHERE p.name = w.process)",
	byteOrderCollation: ` COLLATE "C"`,
	notifyJobsSQL:      "SELECT pg_notify(" + jobChannel + ", ?)",
}
