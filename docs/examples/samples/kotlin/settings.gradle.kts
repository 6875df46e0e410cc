rootProject.name = "kotlin"
