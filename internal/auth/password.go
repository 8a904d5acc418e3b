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

// The argon2id parameters of a new hash, as OWASP recommends.
const (
	argonMemoryKiB = 19 * 1024
	argonPasses    = 2
	argonLanes     = 1
	argonSaltBytes = 16
	argonHashBytes = 32
)

// The maximum argon2id parameters of a stored hash. Without these limits, the verification of a
// corrupt hash could allocate gigabytes.
const (
	maxArgonMemoryKiB = 256 * 1024
	maxArgonPasses    = 16
	maxArgonLanes     = 16
	maxArgonBytes     = 128
)

// ErrWrongPassword is returned if a password does not match its hash.
var ErrWrongPassword = errors.New("wrong password")

// PasswordHasher hashes and verifies passwords. It limits the number of
// concurrent hashes, because each takes 19 MiB of memory and about 20 ms.
type PasswordHasher struct {
	slots     chan struct{}
	memory    uint32 // memory parameter of new hashes, in KiB
	rand      io.Reader
	dummyHash string // verified instead of a hash that does not exist, so that Verify always takes the same time
}

// NewPasswordHasher returns a PasswordHasher that computes at most maxConcurrent hashes at a
// time. hashKiB is the argon2id memory parameter of new hashes, in KiB. 0 means 19 MiB.
// rand is the source of salts.
func NewPasswordHasher(maxConcurrent int, hashKiB uint32, rand io.Reader) *PasswordHasher {
	p := &PasswordHasher{slots: make(chan struct{}, maxConcurrent), memory: cmp.Or(hashKiB, argonMemoryKiB), rand: rand}
	decoy := phcHash{memory: p.memory, passes: argonPasses, lanes: argonLanes, salt: make([]byte, argonSaltBytes), hash: make([]byte, argonHashBytes)}
	p.dummyHash = decoy.String()
	return p
}

// Hash returns the hash of password with a new salt, in the PHC string format.
func (p *PasswordHasher) Hash(ctx context.Context, password string) (string, error) {
	h := phcHash{memory: p.memory, passes: argonPasses, lanes: argonLanes, salt: make([]byte, argonSaltBytes)}
	if _, err := io.ReadFull(p.rand, h.salt); err != nil {
		return "", err
	}
	var err error
	h.hash, err = p.deriveKey(ctx, h, password, argonHashBytes)
	return h.String(), err
}

// Verify returns nil if hashed is a hash of password, and ErrWrongPassword if it is not. For an
// account that does not exist, pass "" as hashed: Verify then takes as long as for an existing
// account, so that the time does not reveal which accounts exist.
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

// phcHash is an argon2id hash with its parameters, as the PHC string format has them.
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

var errUnknownPasswordHash = errors.New("unknown password hash")

func parsePHC(s string) (phcHash, error) {
	parts := strings.Split(s, "$")
	if len(parts) != 6 || parts[0] != "" || parts[1] != "argon2id" || parts[2] != fmt.Sprintf("v=%d", argon2.Version) {
		return phcHash{}, errUnknownPasswordHash
	}
	var h phcHash
	if _, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &h.memory, &h.passes, &h.lanes); err != nil {
		return phcHash{}, errUnknownPasswordHash
	}
	var errSalt, errHash error
	h.salt, errSalt = phcBase64.DecodeString(parts[4])
	h.hash, errHash = phcBase64.DecodeString(parts[5])
	ok := errSalt == nil && errHash == nil && h.memory > 0 && h.memory <= maxArgonMemoryKiB && h.passes > 0 && h.passes <= maxArgonPasses &&
		h.lanes > 0 && h.lanes <= maxArgonLanes && len(h.salt) > 0 && len(h.salt) <= maxArgonBytes && len(h.hash) >= 16 && len(h.hash) <= maxArgonBytes
	if !ok || h.String() != s {
		return phcHash{}, errUnknownPasswordHash
	}
	return h, nil
}
