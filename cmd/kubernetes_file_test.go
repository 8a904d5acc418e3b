package cmd

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"slices"
	"testing"

	"gopkg.in/yaml.v3"
)

// kubernetesObject has the fields of an object of Kubernetes that refer to other fields.
type kubernetesObject struct {
	Kind     string
	Metadata struct{ Name string }
	Spec     struct {
		Selector       map[string]any
		Ports          []struct{ TargetPort string }
		Template       podTemplate
		ScaleTargetRef struct{ Kind, Name string }
	}
}

type podTemplate struct {
	Metadata struct{ Labels map[string]string }
	Spec     struct {
		Containers []struct {
			Ports                                       []struct{ Name string }
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
			if o.Spec.Selector != nil && o.selects(deployment) != (name == other) {
				t.Errorf("the selector of %s %s does not match the pods of the deployment %s alone", o.Kind, name, name)
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
