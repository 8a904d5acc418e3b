package auth

import (
	"cmp"
	"context"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strings"

	"golang.org/x/crypto/argon2"
)

// The parameters of a new hash: OWASP's first recommendation for argon2id.
const (
	memoryKiB = 19 * 1024
	passes    = 2
	lanes     = 1
	saltBytes = 16
	hashBytes = 32
)

// The maximum parameters of a stored hash that is verified. A corrupt hash could otherwise make the
// verification allocate gigabytes.
const (
	maxMemoryKiB = 256 * 1024
	maxPasses    = 16
	maxLanes     = 16
	maxBytes     = 128
)

// ErrWrongPassword is returned if a password does not match its hash.
var ErrWrongPassword = errors.New("wrong password")

// PasswordHasher hashes and verifies passwords. It limits the number of
// concurrent hashes, because each takes 19 MiB of memory and about 20 ms.
type PasswordHasher struct {
	slots     chan struct{}
	memory    uint32 // KiB that a new hash takes
	rand      io.Reader
	dummyHash string // verified if an account has no hash, or there is no account, so that this takes as long
}

// NewPasswordHasher returns a PasswordHasher that computes at most maxConcurrent hashes at a time.
// The parameter hashKiB is the memory that a new hash takes, in KiB; 0 means 19 MiB. The parameter
// rand is the source of salts.
func NewPasswordHasher(maxConcurrent int, hashKiB uint32, rand io.Reader) *PasswordHasher {
	p := &PasswordHasher{slots: make(chan struct{}, maxConcurrent), memory: cmp.Or(hashKiB, memoryKiB), rand: rand}
	decoy := phcHash{memory: p.memory, passes: passes, lanes: lanes, salt: make([]byte, saltBytes), hash: make([]byte, hashBytes)}
	p.dummyHash = decoy.String()
	return p
}

// Hash returns the hash of password with a new salt, in the PHC string format.
func (p *PasswordHasher) Hash(ctx context.Context, password string) (string, error) {
	h := phcHash{memory: p.memory, passes: passes, lanes: lanes, salt: make([]byte, saltBytes)}
	if _, err := io.ReadFull(p.rand, h.salt); err != nil {
		return "", err
	}
	var err error
	h.hash, err = p.deriveKey(ctx, h, password, hashBytes)
	return h.String(), err
}

// Verify returns nil if hashed is a hash of password, and ErrWrongPassword if it is not. For an
// account that does not exist, hashed must be "". Verify then returns ErrWrongPassword after the
// same time, so that the time does not reveal which accounts exist.
func (p *PasswordHasher) Verify(ctx context.Context, hashed, password string) error {
	known := hashed != ""
	if !known {
		hashed = p.dummyHash
	}
	h, err := parsePHC(hashed)
	if err != nil {
		return err
	}
	got, err := p.deriveKey(ctx, h, password, len(h.hash))
	if err != nil {
		return err
	}
	if subtle.ConstantTimeCompare(got, h.hash) != 1 || !known {
		return ErrWrongPassword
	}
	return nil
}

func (p *PasswordHasher) deriveKey(ctx context.Context, h phcHash, password string, keyBytes int) ([]byte, error) {
	select {
	case p.slots <- struct{}{}:
		defer func() { <-p.slots }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return argon2.IDKey([]byte(password), h.salt, h.passes, h.memory, h.lanes, uint32(keyBytes)), nil
}

// phcHash is an argon2id hash with its parameters.
type phcHash struct {
	memory, passes uint32
	lanes          uint8
	salt, hash     []byte
}

var phcBase64 = base64.RawStdEncoding.Strict()

// String returns the hash in the PHC string format: $argon2id$v=19$m=…,t=…,p=…$salt$hash.
func (p phcHash) String() string {
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, p.memory, p.passes, p.lanes,
		phcBase64.EncodeToString(p.salt), phcBase64.EncodeToString(p.hash))
}

var errPHC = errors.New("unknown password hash")

func parsePHC(s string) (phcHash, error) {
	parts := strings.Split(s, "$")
	if len(parts) != 6 || parts[0] != "" || parts[1] != "argon2id" || parts[2] != fmt.Sprintf("v=%d", argon2.Version) {
		return phcHash{}, errPHC
	}
	var h phcHash
	if _, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &h.memory, &h.passes, &h.lanes); err != nil {
		return phcHash{}, errPHC
	}
	var errSalt, errHash error
	h.salt, errSalt = phcBase64.DecodeString(parts[4])
	h.hash, errHash = phcBase64.DecodeString(parts[5])
	ok := errSalt == nil && errHash == nil && h.memory > 0 && h.memory <= maxMemoryKiB && h.passes > 0 && h.passes <= maxPasses &&
		h.lanes > 0 && h.lanes <= maxLanes && len(h.salt) > 0 && len(h.salt) <= maxBytes && len(h.hash) >= 16 && len(h.hash) <= maxBytes
	if !ok || h.String() != s {
		return phcHash{}, errPHC
	}
	return h, nil
}
