plugins {
    kotlin("jvm") version "2.4.21"
}

repositories {
    mavenLocal() // for a version of GeoRep that you have built yourself
    mavenCentral()
}

dependencies {
    implementation(platform("io.georep:georep-bom:0.1.0-SNAPSHOT"))
    implementation("io.georep:georep-spring-boot-starter")
    implementation("org.jetbrains.kotlin:kotlin-reflect:2.4.21")
    implementation("org.jetbrains.kotlinx:kotlinx-coroutines-core-jvm:1.11.0")
    testImplementation("org.junit.jupiter:junit-jupiter:6.1.3")
    testRuntimeOnly("org.junit.platform:junit-platform-launcher:6.1.3")
}

kotlin {
    jvmToolchain(17)
}

tasks.test {
    useJUnitPlatform()
}
