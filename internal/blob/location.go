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

// ErrInvalidLocation is returned for an invalid location. Test with errors.Is.
var ErrInvalidLocation = errors.New("invalid storage")

// locationForm is the syntax of a location, for messages and help texts.
const locationForm = "s3://BUCKET/PREFIX?endpoint=URL&region=REGION or file:///DIR"

// defaultRegion is the region if neither the location nor the environment has one.
const defaultRegion = "us-east-1"

// bucketLocation is the parsed location of blobs in an S3 bucket.
type bucketLocation struct {
	bucket string
	// prefix is the beginning of the name of every object. It is empty or ends with a slash.
	prefix string
	// host is the address of the store, without a scheme.
	host string
	// useHTTPS is true if requests use HTTPS.
	useHTTPS bool
	region   string
	// instanceCredentials is true if the credentials are requested from the metadata service of
	// the virtual machine.
	instanceCredentials bool
}

// parseBucketLocation parses s3://BUCKET/PREFIX?endpoint=URL&region=REGION&credentials=instance. A
// missing endpoint or region is taken from the variable of the AWS tools, such as AWS_REGION.
// getenv returns the value of a variable.
func parseBucketLocation(u *url.URL, getenv func(string) string) (*bucketLocation, error) {
	query := u.Query()
	for _, name := range slices.Sorted(maps.Keys(query)) {
		if !slices.Contains([]string{"endpoint", "region", "credentials"}, name) {
			return nil, fmt.Errorf("%w: unknown parameter %q; known parameters: endpoint, region, credentials", ErrInvalidLocation, name)
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
	l := &bucketLocation{bucket: u.Host, region: region, instanceCredentials: query.Get("credentials") == "instance"}
	if value := query.Get("credentials"); value != "" && !l.instanceCredentials {
		return nil, fmt.Errorf("%w: credentials=%s: must be credentials=instance, or be omitted", ErrInvalidLocation, value)
	}
	if l.bucket == "" {
		return nil, fmt.Errorf("%w: no bucket; must be %s", ErrInvalidLocation, locationForm)
	}
	if path := strings.Trim(u.Path, "/"); path != "" {
		l.prefix = path + "/"
	}
	endpoint := first(query.Get("endpoint"), getenv("AWS_ENDPOINT_URL_S3"), getenv("AWS_ENDPOINT_URL"), "https://s3."+region+".amazonaws.com")
	e, err := url.Parse(endpoint)
	if err != nil || e.Host == "" || e.Scheme != "http" && e.Scheme != "https" || e.User != nil || strings.Trim(e.Path, "/") != "" || e.RawQuery != "" {
		return nil, fmt.Errorf("%w: invalid endpoint: must be http://HOST:PORT or https://HOST", ErrInvalidLocation)
	}
	l.host, l.useHTTPS = e.Host, e.Scheme == "https"
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

// FixedLocation returns the location of a store that [Open] has opened, and "" for a folder that
// [OpenFolder] has opened, such as blobs/ in a data folder.
func (s *Store) FixedLocation() string {
	if !s.fixed {
		return ""
	}
	return s.Location()
}

// parseLocation parses the location of a store. Its errors contain no credentials.
func parseLocation(location string) (*url.URL, error) {
	u, err := url.Parse(location)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: must be %s", ErrInvalidLocation, locationForm)
	case u.User != nil:
		return nil, fmt.Errorf("%w: the location must not contain credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY instead", ErrInvalidLocation)
	case u.Scheme != "s3" && u.Scheme != "file":
		return nil, fmt.Errorf("%w %q: must be %s", ErrInvalidLocation, location, locationForm)
	case u.Fragment != "":
		return nil, fmt.Errorf("%w %q: the character # must be written as %%23", ErrInvalidLocation, location)
	}
	return u, nil
}

// folderPath returns the path in a location file:///DIR.
func folderPath(u *url.URL) (string, error) {
	if u.Host != "" && u.Host != "localhost" || u.Path == "" || u.RawQuery != "" {
		return "", fmt.Errorf("%w %q: must be file:///DIR, with an absolute path", ErrInvalidLocation, u)
	}
	path := filepath.FromSlash(u.Path)
	if runtime.GOOS == "windows" {
		path = strings.TrimPrefix(path, `\`) // of \C:\dir
	}
	return filepath.Clean(path), nil
}
