package api

// SessionList has the sessions of an account.
type SessionList struct {
	Sessions []SessionEntry `json:"sessions" doc:"The sessions, newest first." nullable:"false"`
}

// SessionEntry is a session of an account, from a log-in until its token becomes invalid.
type SessionEntry struct {
	SessionKey    string `json:"sessionKey" doc:"The session's key. It is not the token." format:"uuid"`
	CreatedOn     string `json:"createdOn,omitempty" doc:"When the account logged in; absent if an earlier version of the service opened the session."`
	ExpiresOn     string `json:"expiresOn" doc:"When the token expires."`
	RemoteAddress string `json:"remoteAddress" doc:"The address of the client that logged in; an IPv6 address as its /64 network."`
	Client        string `json:"client" doc:"The User-Agent of the client that logged in."`
	Current       bool   `json:"current" doc:"Whether this is the session of the request's bearer token."`
}

// SessionInput identifies a session of the caller's account.
type SessionInput struct {
	SessionKey string `path:"sessionKey" doc:"The session's key." format:"uuid"`
}
