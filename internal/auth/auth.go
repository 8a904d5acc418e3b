// Package auth implements the cryptography of accounts: password hashes, bearer tokens, codes
// of authenticator apps and signed URLs. It also has a rate limiter. Package account and
// package server decide what an account may do.
package auth
