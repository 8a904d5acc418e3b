package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"time"
)

// RateLimit limits attempts, such as log-ins, with a token bucket for each key. All processes that
// share the database share the buckets.
type RateLimit struct {
	// Name is the unique name of the limit.
	Name string
	// Burst is the capacity of a bucket: the number of attempts that are allowed at once. In
	// each Interval, one token is added to the bucket, which allows one more attempt.
	Burst    int
	Interval time.Duration
}

// Attempt is an attempt that counts towards a limit.
type Attempt struct {
	Limit RateLimit
	// Key selects the bucket, for example an email or an IP address. The database has only a
	// hash of Key.
	Key string
}

// Refusal describes an attempt that exceeds its limit.
type Refusal struct {
	// Index is the index of the attempt in the arguments of [Store.AllowAttempts].
	Index int
	// Wait is the time until the next attempt is allowed.
	Wait time.Duration
}

// maxClockDifference is an upper bound of the difference between the clocks of two processes, after
// each has adjusted its clock to the clock of the database.
const maxClockDifference = time.Minute

// AllowAttempts takes a token from the bucket of each attempt, in the given order, and returns nil.
// If a bucket is empty, it stops and returns a Refusal of the attempt with this bucket. The tokens
// taken before that remain taken.
//
// All calls must pass their attempts in the same order of limits. Each bucket stays locked until
// the end of the transaction, so another order can cause a deadlock.
func (s *Store) AllowAttempts(ctx context.Context, now time.Time, attempts ...Attempt) (refused *Refusal, err error) {
	// If the first attempt is refused, nothing is written. Therefore a flood of attempts from one
	// address does not prevent other writes to the database.
	err = s.ReadOneStatement(ctx, func(t *Tx) error {
		wait, err := t.timeUntilAllowed(ctx, now, attempts[0])
		if refused = nil; wait > 0 {
			refused = &Refusal{0, wait}
		}
		return err
	})
	if err != nil || refused != nil {
		return refused, err
	}
	// Read committed is enough: each statement reads and changes one bucket, and a statement that
	// takes no token changes nothing.
	err = s.writeReadCommitted(ctx, func(t *Tx) error {
		refused = nil
		for i, a := range attempts {
			wait, err := t.allowAttempt(ctx, now, a)
			if err != nil {
				return err
			}
			if wait > 0 {
				refused = &Refusal{i, wait}
				return nil
			}
		}
		return nil
	})
	return refused, err
}

// allowAttempt takes a token from the bucket of an attempt and returns 0. If the bucket is empty,
// it returns the time until the next token.
func (t *Tx) allowAttempt(ctx context.Context, now time.Time, a Attempt) (wait time.Duration, err error) {
	at, interval := t.toSharedMicros(now), a.Limit.Interval.Microseconds()
	last := at + int64(a.Limit.Burst)*interval // when an empty bucket will be full
	maxFullAt := last + maxClockDifference.Microseconds()
	var fullAt int64
	// No process stores a later time than maxFullAt. If the stored time is later, a clock was set
	// back since. The attempt is then allowed, because the owner of the account might otherwise be
	// locked out for as long as the clock was set back.
	err = t.tx.QueryRowContext(ctx, `INSERT INTO attempt (key, full_at) VALUES (?, ?)
		ON CONFLICT (key) DO UPDATE SET full_at = CASE WHEN attempt.full_at > ? THEN ? WHEN attempt.full_at < ? THEN excluded.full_at ELSE attempt.full_at + ? END
		WHERE attempt.full_at <= ? OR attempt.full_at > ? RETURNING full_at`,
		a.bucketKey(), at+interval, maxFullAt, last, at, interval, last-interval, maxFullAt).Scan(&fullAt)
	if errors.Is(err, sql.ErrNoRows) {
		return t.timeUntilAllowed(ctx, now, a)
	}
	return 0, err
}

// timeUntilAllowed returns how long the bucket of an attempt will be empty, or 0 if it has a token.
func (t *Tx) timeUntilAllowed(ctx context.Context, now time.Time, a Attempt) (wait time.Duration, err error) {
	var fullAt int64
	err = t.tx.QueryRowContext(ctx, "SELECT full_at FROM attempt WHERE key = ?", a.bucketKey()).Scan(&fullAt)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	untilFull := time.Duration(fullAt-t.toSharedMicros(now)) * time.Microsecond
	capacity := time.Duration(a.Limit.Burst) * a.Limit.Interval
	if untilFull > capacity+maxClockDifference { // the clock was set back, so allowAttempt allows the attempt
		return 0, err
	}
	return max(0, untilFull+a.Limit.Interval-capacity), err
}

// bucketKey returns the key under which the database stores the bucket of an attempt.
func (a Attempt) bucketKey() string {
	sum := sha256.Sum256([]byte(a.Limit.Name + "\n" + a.Key))
	return hex.EncodeToString(sum[:])
}

// RefundAttempts undoes [Store.AllowAttempts]: it returns a token to the bucket of each attempt.
// The limits must be in the same order as in AllowAttempts.
func (t *Tx) RefundAttempts(ctx context.Context, attempts ...Attempt) error {
	for _, a := range attempts {
		if err := t.exec(ctx, "UPDATE attempt SET full_at = full_at - ? WHERE key = ?", a.Limit.Interval.Microseconds(), a.bucketKey()); err != nil {
			return err
		}
	}
	return nil
}

// DeleteFullBuckets deletes buckets that are full at the time now, and returns their number, which
// is at most limit. The deletion changes no rate limit, because an attempt without a stored bucket
// has a full one. DeleteFullBuckets skips buckets that other transactions are changing.
func (s *Store) DeleteFullBuckets(ctx context.Context, now time.Time, limit int64) (deleted int64, err error) {
	// Read committed is enough: there is one statement, which locks the rows that it reads.
	err = s.writeReadCommitted(ctx, func(t *Tx) error {
		result, err := t.tx.ExecContext(ctx, "DELETE FROM attempt WHERE key IN (SELECT j.key FROM attempt j WHERE j.full_at <= ? LIMIT ?"+t.dialect.skipLockedSQL+")",
			t.toSharedMicros(now), limit)
		if err != nil {
			return err
		}
		deleted, err = result.RowsAffected()
		return err
	})
	return deleted, err
}
