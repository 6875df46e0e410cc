package io.georep.spring.boot.actuate;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.logging.Level;
import org.openqa.selenium.By;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.WebDriverException;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.interactions.Actions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

/** Debian's Chromium without a window, in which a test looks at a page and uses it as a person would. */
final class Browser implements AutoCloseable {
    private static final Duration SOON = HttpNode.SOON;
    private static final Path CHROMIUM = Path.of("/usr/bin/chromium");
    private static final Path DRIVER = Path.of("/usr/bin/chromedriver");
    private static final Path SCREENSHOTS = Path.of("target", "screenshots");

    /** Text of a cell of a table with headings, by the name of its row; empty if there is none. */
    private static final String CELL = "const table = document.querySelector(arguments[0] + ' table');"
            + "if (!table || table.closest('[hidden]')) return '';"
            + "const at = [...table.tHead.rows[0].cells].findIndex((head) => head.textContent === arguments[2]);"
            + "const row = [...table.tBodies[0].rows].find((line) => line.cells[0].textContent === arguments[1]);"
            + "return row?.cells[at]?.textContent ?? '';";

    /** Rules that were broken, each with the elements that break it. */
    private static final String RULES_BROKEN = "const done = arguments[arguments.length - 1];"
            + "axe.run(document, { resultTypes: ['violations'] }).then((found) => done(found.violations.map((rule) =>"
            + " rule.id + ': ' + rule.help + ' ' + rule.nodes.map((node) => node.html + ' ' + node.failureSummary).join('; '))),"
            + " (problem) => done(['axe failed: ' + problem]));";

    private final ChromeDriver driver;

    Browser() {
        LoggingPreferences everything = new LoggingPreferences();
        everything.enable(LogType.BROWSER, Level.ALL);
        ChromeOptions options = new ChromeOptions();
        options.setBinary(CHROMIUM.toFile());
        options.addArguments(
                "--headless=new",
                "--no-sandbox", // Whoever runs tests as root has none.
                "--disable-gpu",
                "--disable-dev-shm-usage", // It is small in containers.
                "--disable-background-networking",
                "--disable-component-update",
                "--no-first-run",
                "--window-size=1200,1000");
        options.setCapability("goog:loggingPrefs", everything);
        // With the path of the driver given, Selenium looks for none, and asks nobody for one.
        driver = new ChromeDriver(
                new ChromeDriverService.Builder()
                        .usingDriverExecutable(DRIVER.toFile())
                        .usingAnyFreePort()
                        .build(),
                options);
        Runtime.getRuntime().addShutdownHook(new Thread(driver::quit));
        driver.manage().timeouts().scriptTimeout(SOON).pageLoadTimeout(SOON);
    }

    static boolean isInstalled() {
        return Files.isExecutable(CHROMIUM) && Files.isExecutable(DRIVER);
    }

    void open(String url) {
        driver.get(url);
    }

    Object run(String script, Object... arguments) {
        return driver.executeScript(script, arguments);
    }

    /** Returns the text of an element, shown or not; empty if there is none. */
    String text(String css) {
        return string("return document.querySelector(arguments[0])?.textContent ?? ''", css);
    }

    String string(String script, Object... arguments) {
        return String.valueOf(run(script, arguments));
    }

    boolean is(String condition, Object... arguments) {
        return Boolean.TRUE.equals(run("return Boolean(" + condition + ")", arguments));
    }

    String cell(String section, String row, String column) {
        return string(CELL, section, row, column);
    }

    void awaitCell(String section, String row, String column, String text) {
        await(section + ": " + row + ", " + column + " is " + text)
                .atMost(SOON)
                .until(() -> cell(section, row, column), text::equals);
    }

    void awaitText(String css, String part) {
        await().atMost(SOON).until(() -> text(css), found -> found.contains(part));
    }

    /** Clicks when it can be clicked: the page moves while it is kept up to date. */
    void click(By what) {
        await("click on " + what)
                .atMost(SOON)
                .ignoreExceptionsInstanceOf(WebDriverException.class)
                .until(() -> {
                    driver.findElement(what).click();
                    return true;
                });
    }

    /** Clicks the button that begins so, within an element. */
    void button(String within, String text) {
        click(By.xpath("//" + within + "//button[starts-with(normalize-space(.), '" + text + "')]"));
    }

    void press(CharSequence... keys) {
        new Actions(driver).sendKeys(keys).perform();
    }

    /** Returns the text of the element that has the focus, or its name if it has none. */
    String focused() {
        return string("const at = document.activeElement; return at.textContent.trim().slice(0, 80) || at.tagName");
    }

    void size(int width, int height) {
        driver.executeCdpCommand(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", false));
    }

    void wholeWindow() {
        driver.executeCdpCommand("Emulation.clearDeviceMetricsOverride", Map.of());
    }

    void scheme(String lightOrDark) {
        driver.executeCdpCommand(
                "Emulation.setEmulatedMedia",
                Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", lightOrDark))));
    }

    /** Returns which rules of accessibility the page breaks. */
    List<?> rulesBroken() {
        driver.executeScript(axe());
        return (List<?>) Objects.requireNonNull(driver.executeAsyncScript(RULES_BROKEN));
    }

    private static String axe() {
        try (InputStream script = Browser.class.getResourceAsStream("/axe.min.js")) {
            return new String(Objects.requireNonNull(script, "axe").readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns what the browser had to say of pages since it was asked last: errors, refused scripts, what cannot be loaded. */
    List<String> complaints() {
        return driver.manage().logs().get(LogType.BROWSER).getAll().stream()
                .map(LogEntry::getMessage)
                .toList();
    }

    void screenshot(String name) {
        try {
            Files.createDirectories(SCREENSHOTS);
            Files.write(SCREENSHOTS.resolve(name + ".png"), driver.getScreenshotAs(OutputType.BYTES));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        driver.quit();
    }
}
