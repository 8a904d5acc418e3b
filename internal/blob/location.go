package blob

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// ErrLocation is returned for an invalid location. Test with errors.Is.
var ErrLocation = errors.New("invalid storage")

// LocationForm is the form of a location in messages and help texts.
const LocationForm = "s3://BUCKET/PREFIX?endpoint=URL&region=REGION or file:///DIR"

// defaultRegion is the region in requests to an S3 store without regions.
const defaultRegion = "us-east-1"

// bucketLocation is a parsed location in an S3 store.
type bucketLocation struct {
	bucket string
	// prefix is the beginning of the name of every object. It is empty or ends with a slash.
	prefix string
	// host is the address of the store, without a scheme.
	host string
	// secure reports whether to use HTTPS.
	secure bool
	region string
	// instance reports whether the credentials are requested from the metadata service of the
	// virtual machine.
	instance bool
}

// parseBucket parses s3://BUCKET/PREFIX?endpoint=URL&region=REGION&credentials=instance. If a
// parameter is missing, the environment variable of the AWS tools is used, whose value getenv
// returns.
func parseBucket(u *url.URL, getenv func(string) string) (*bucketLocation, error) {
	query := u.Query()
	for _, name := range slices.Sorted(maps.Keys(query)) {
		if !slices.Contains([]string{"endpoint", "region", "credentials"}, name) {
			return nil, fmt.Errorf("%w: unknown parameter %q: want endpoint, region or credentials", ErrLocation, name)
		}
	}
	first := func(texts ...string) string {
		for _, text := range texts {
			if text != "" {
				return text
			}
		}
		return ""
	}
	region := first(query.Get("region"), getenv("AWS_REGION"), getenv("AWS_DEFAULT_REGION"), defaultRegion)
	l := &bucketLocation{bucket: u.Host, region: region, instance: query.Get("credentials") == "instance"}
	if value := query.Get("credentials"); value != "" && !l.instance {
		return nil, fmt.Errorf("%w: credentials=%s: want credentials=instance, or omit the parameter", ErrLocation, value)
	}
	if l.bucket == "" {
		return nil, fmt.Errorf("%w: no bucket: want %s", ErrLocation, LocationForm)
	}
	if path := strings.Trim(u.Path, "/"); path != "" {
		l.prefix = path + "/"
	}
	endpoint := first(query.Get("endpoint"), getenv("AWS_ENDPOINT_URL_S3"), getenv("AWS_ENDPOINT_URL"), "https://s3."+region+".amazonaws.com")
	e, err := url.Parse(endpoint)
	if err != nil || e.Host == "" || e.Scheme != "http" && e.Scheme != "https" || e.User != nil || strings.Trim(e.Path, "/") != "" || e.RawQuery != "" {
		return nil, fmt.Errorf("%w: invalid endpoint: want http://HOST:PORT or https://HOST", ErrLocation)
	}
	l.host, l.secure = e.Host, e.Scheme == "https"
	return l, nil
}

// String returns the location for messages.
func (l *bucketLocation) String() string {
	return "s3://" + l.bucket + "/" + l.prefix
}

// IsBucket reports whether the blobs are in an S3 bucket.
func (s *Store) IsBucket() bool {
	_, ok := s.backend.(*bucketStore)
	return ok
}

// parseLocation parses the location of a store. Its errors contain no credentials.
func parseLocation(location string) (*url.URL, error) {
	u, err := url.Parse(location)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: want %s", ErrLocation, LocationForm)
	case u.User != nil:
		return nil, fmt.Errorf("%w: it must not contain credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY instead", ErrLocation)
	case u.Scheme != "s3" && u.Scheme != "file":
		return nil, fmt.Errorf("%w %q: want %s", ErrLocation, location, LocationForm)
	case u.Fragment != "":
		return nil, fmt.Errorf("%w %q: the character # must be written as %%23", ErrLocation, location)
	}
	return u, nil
}

// folderPath returns the path in a location file:///DIR.
func folderPath(u *url.URL) (string, error) {
	if u.Host != "" && u.Host != "localhost" || u.Path == "" || u.RawQuery != "" {
		return "", fmt.Errorf("%w %q: want file:///DIR, with an absolute path", ErrLocation, u)
	}
	path := filepath.FromSlash(u.Path)
	if runtime.GOOS == "windows" {
		path = strings.TrimPrefix(path, `\`) // of \C:\dir
	}
	return path, nil
}
