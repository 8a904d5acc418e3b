package cmd

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// kubernetesObject has the fields of an object of Kubernetes that refer to other fields.
type kubernetesObject struct {
	Kind     string
	Data     map[string]string
	Metadata struct{ Name string }
	Spec     struct {
		Selector       map[string]any
		PodSelector    map[string]any
		Ingress        []struct{ Ports []struct{ Port string } }
		Ports          []struct{ TargetPort string }
		Template       podTemplate
		ScaleTargetRef struct{ Kind, Name string }
	}
}

type podTemplate struct {
	Metadata struct{ Labels, Annotations map[string]string }
	Spec     struct {
		Containers []struct {
			Ports []struct {
				Name          string
				ContainerPort int
			}
			VolumeMounts                                []struct{ Name string }
			StartupProbe, ReadinessProbe, LivenessProbe probe
		}
		Volumes []struct{ Name string }
	}
}

type probe struct {
	HTTPGet struct{ Path, Port string }
}

// selects reports whether the selector of an object matches the labels of the pods of a deployment.
func (o *kubernetesObject) selects(deployment *kubernetesObject) bool {
	labels := o.Spec.Selector
	if o.Kind == "NetworkPolicy" {
		labels = o.Spec.PodSelector
	}
	if nested, ok := labels["matchLabels"].(map[string]any); ok {
		labels = nested
	}
	for name, value := range labels {
		if deployment.Spec.Template.Metadata.Labels[name] != value {
			return false
		}
	}
	return len(labels) > 0
}

func readKubernetesFile(t *testing.T) (objects []*kubernetesObject) {
	t.Helper()
	file, err := os.Open("../docs/deploy/kubernetes.yaml")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for decoder := yaml.NewDecoder(file); ; {
		var document any
		if err := decoder.Decode(&document); errors.Is(err, io.EOF) {
			return objects
		} else if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(document)
		if err != nil {
			t.Fatal(err)
		}
		object := &kubernetesObject{}
		if err := json.Unmarshal(text, object); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		objects = append(objects, object)
	}
}

// TestKubernetesMetrics checks that Prometheus reads the metrics of the services and of the workers.
// The metrics of jobs and of scans for malware are those of the workers.
func TestKubernetesMetrics(t *testing.T) {
	t.Parallel()
	address, scraped := "", 0
	for _, o := range readKubernetesFile(t) {
		if o.Kind == "ConfigMap" {
			address = o.Data["FORETELL_METRICS_LISTEN"]
		}
		if o.Kind != "Deployment" {
			continue
		}
		pods := &o.Spec.Template
		port := pods.Metadata.Annotations["prometheus.io/port"]
		if pods.Metadata.Annotations["prometheus.io/scrape"] != "true" || port == "" || !strings.HasSuffix(address, ":"+port) {
			t.Errorf("%s: Prometheus reads the port %q, but the metrics are at %s", o.Metadata.Name, port, address)
		}
		for _, p := range pods.Spec.Containers[0].Ports {
			if p.Name == "metrics" && fmt.Sprint(p.ContainerPort) == port {
				scraped++
			}
		}
	}
	if scraped != 2 {
		t.Errorf("the pods of %d deployments have the port of the metrics, want 2", scraped)
	}
}

// TestKubernetesFile checks the references in docs/deploy/kubernetes.yaml: each selector matches the
// pods of one deployment, ports and volumes exist, and the autoscaler scales a deployment.
func TestKubernetesFile(t *testing.T) {
	t.Parallel()
	objects := readKubernetesFile(t)
	deployments, ports := map[string]*kubernetesObject{}, map[string][]string{}
	for _, o := range objects {
		if o.Kind == "Deployment" {
			deployments[o.Metadata.Name] = o
			ports[o.Metadata.Name] = o.Spec.Template.check(t, o.Metadata.Name)
		}
	}
	if len(deployments) != 2 {
		t.Fatalf("the file has %d deployments", len(deployments))
	}
	for _, o := range objects {
		name, target := o.Metadata.Name, o.Spec.ScaleTargetRef
		if o.Kind == "HorizontalPodAutoscaler" && (target.Kind != "Deployment" || deployments[target.Name] == nil) {
			t.Errorf("the autoscaler scales %+v", target)
		}
		for other, deployment := range deployments {
			if (o.Spec.Selector != nil || o.Kind == "NetworkPolicy") && o.selects(deployment) != (name == other) {
				t.Errorf("the selector of %s %s does not match the pods of the deployment %s alone", o.Kind, name, name)
			}
		}
		if o.Kind == "NetworkPolicy" && len(o.Spec.Ingress) == 0 {
			t.Errorf("%s %s allows nothing", o.Kind, name)
		}
		for _, rule := range o.Spec.Ingress {
			for _, port := range rule.Ports {
				if !slices.Contains(ports[name], port.Port) {
					t.Errorf("%s %s allows the unknown port %q", o.Kind, name, port.Port)
				}
			}
		}
		for _, port := range o.Spec.Ports {
			if !slices.Contains(ports[name], port.TargetPort) {
				t.Errorf("%s %s forwards to the unknown port %q", o.Kind, name, port.TargetPort)
			}
		}
	}
}

// check checks the probes and volumes of the pods of a deployment, and returns the names of their
// ports.
func (p *podTemplate) check(t *testing.T, deployment string) (ports []string) {
	t.Helper()
	for _, c := range p.Spec.Containers {
		for _, port := range c.Ports {
			ports = append(ports, port.Name)
		}
		for _, probe := range []probe{c.StartupProbe, c.ReadinessProbe, c.LivenessProbe} {
			get := probe.HTTPGet
			if get.Path != "" && (!slices.Contains(ports, get.Port) || get.Path != "/readyz" && get.Path != "/healthz") {
				t.Errorf("a probe of %s requests the path %s of the port %q", deployment, get.Path, get.Port)
			}
		}
		for _, mount := range c.VolumeMounts {
			if !slices.Contains(p.Spec.Volumes, mount) {
				t.Errorf("%s has no volume %s", deployment, mount.Name)
			}
		}
	}
	return ports
}
