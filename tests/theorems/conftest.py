"""What imports knuckledragger is run in a process of its own, by ``test_relations.py``."""

collect_ignore = ["relations.py", "relation_checks.py"]
