package io.georep.flagons.core;

/**
 * How often a node hears nothing of an event, if those who pass it on draw whom they send it to at random. It says nothing of events that come
 * too late, as where clocks differ or a node has no time.
 */
final class HoleTheory {
    /** A name, a question and a reply. */
    private static final int MESSAGES_OF_A_NAME = 3;

    /** A node that is in fewer views than others is in this share of as many. */
    private static final double POORER = .8;

    private HoleTheory() {}

    /**
     * Returns how often an event, or its name and then the event, is brought to a node on average.
     *
     * @param loss the share of messages that are lost
     * @param dead the share of the nodes in a view that are gone
     */
    static double brought(FleetSettings settings, double loss, double dead) {
        double whole = settings.whole() * (1 - loss) * (1 - dead);
        if (settings.whole() == settings.fanout()) {
            return settings.relays() * whole;
        }
        // Names leave in every other round: half of the nodes name an event to those to whom they send it as well.
        double names = settings.fanout() - settings.whole() / 2.0;
        return whole + names * Math.pow(1 - loss, MESSAGES_OF_A_NAME) * (1 - dead);
    }

    /** Returns the probability that it is brought to a node never. */
    static double missed(FleetSettings settings, double loss, double dead) {
        return Math.exp(-brought(settings, loss, dead));
    }

    /** Returns a bound of how many are missed where some nodes are in fewer views than others. */
    static double bound(FleetSettings settings, double loss, double dead) {
        return Math.exp(-POORER * brought(settings, loss, dead));
    }
}
