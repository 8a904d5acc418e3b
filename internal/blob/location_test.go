package blob

import (
	"errors"
	"strings"
	"testing"
)

func TestParseBucketLocation(t *testing.T) {
	for _, tt := range []struct {
		name, location string
		variables      map[string]string
		want           bucketLocation
	}{
		{"Amazon", "s3://files", nil, bucketLocation{bucket: "files", host: "s3.us-east-1.amazonaws.com", useHTTPS: true, region: "us-east-1"}},
		{"Amazon in a region", "s3://files/prod?region=eu-central-1", nil, bucketLocation{bucket: "files", prefix: "prod/", host: "s3.eu-central-1.amazonaws.com", useHTTPS: true, region: "eu-central-1"}},
		{"another store", "s3://files/a/b/?endpoint=http://127.0.0.1:7070", nil, bucketLocation{bucket: "files", prefix: "a/b/", host: "127.0.0.1:7070", region: "us-east-1"}},
		{"from variables", "s3://files", map[string]string{"AWS_REGION": "x", "AWS_ENDPOINT_URL": "https://store.example.com/"}, bucketLocation{bucket: "files", host: "store.example.com", useHTTPS: true, region: "x"}},
		{"parameters override variables", "s3://files?region=y", map[string]string{"AWS_REGION": "x"}, bucketLocation{bucket: "files", host: "s3.y.amazonaws.com", useHTTPS: true, region: "y"}},
		{"credentials of the machine", "s3://files?credentials=instance", nil, bucketLocation{bucket: "files", host: "s3.us-east-1.amazonaws.com", useHTTPS: true, region: "us-east-1", instanceCredentials: true}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			u, err := parseLocation(tt.location)
			if err != nil {
				t.Fatal(err)
			}
			got, err := parseBucketLocation(u, func(name string) string { return tt.variables[name] })
			if err != nil || *got != tt.want {
				t.Errorf("%+v, %v, want %+v", got, err, tt.want)
			}
		})
	}
}

func TestInvalidLocation(t *testing.T) {
	for _, location := range []string{
		"", "files", "ftp://files", "s3:files", "s3:///prefix", "s3://files?size=1", "s3://files?credentials=all", "s3://files#a",
		"s3://files?endpoint=store", "s3://files?endpoint=ftp://store", "s3://files?endpoint=https://key:geheim@store", "s3://files?endpoint=https://store/path",
		"s3://key:geheim@files", "file://host/dir", "file:dir", "file:///dir?x=1", "s3://%zz:geheim@files",
	} {
		_, err := Open(t.Context(), location, Options{Process: "a", Getenv: func(string) string { return "" }})
		if !errors.Is(err, ErrInvalidLocation) || strings.Contains(err.Error(), "geheim") {
			t.Errorf("%q: error %v", location, err)
		}
	}
}
