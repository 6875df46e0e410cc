package io.georep.bench.results;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;

class SpreadPlotTest {
    private final Map<String, Map<String, Spread>> lines = new LinkedHashMap<>();

    private static Document parsed(String svg) throws Exception {
        return DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new ByteArrayInputStream(svg.getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void drawsALineThroughTheMediansAndAWhiskerWhereRoundsDiffer() throws Exception {
        lines.put("OS", Map.of("1", new Spread(20, 40, 60), "10", new Spread(80, 80, 80)));

        String svg = new SpreadPlot("entries by clients", List.of("1", "10"), lines).svg(false);

        assertThat(parsed(svg).getElementsByTagName("path").getLength())
                .as("five lines of the grid, the legend, a whisker and the line")
                .isEqualTo(8);
        assertThat(svg)
                .as("80 of 80 is at the top, 40 in the middle; 20 and 60 a quarter from bottom and top")
                .contains("M230.0 154.0L550.0 34.0")
                .contains("M230.0 214.0V94.0");
    }

    @Test
    void drawsABarForEachCategoryThatALineHas() throws Exception {
        lines.put("100", Map.of("ours", new Spread(10, 10, 10), "theirs & others", new Spread(5, 5, 5)));
        lines.put("300", Map.of("ours", new Spread(20, 20, 20)));

        Document svg = parsed(new SpreadPlot("a < b", List.of("ours", "theirs & others"), lines).svg(true));

        assertThat(svg.getElementsByTagName("rect").getLength())
                .as("ground, two of the legend, three bars")
                .isEqualTo(6);
        assertThat(svg.getElementsByTagName("title").item(0).getTextContent()).isEqualTo("a < b");
    }

    @Test
    void refusesMoreLinesThanCanBeToldApart() {
        for (int i = 0; i < 5; i++) {
            lines.put("line " + i, Map.of());
        }

        assertThatThrownBy(() -> new SpreadPlot("", List.of(), lines))
                .hasMessageContaining("5 lines, 4 can be told apart");
    }
}
