/**
 * The deterministic simulator: one seed decides time, network, disks, clocks, applications and faults, and the
 * production {@link io.georep.runtime.NodeLoop} with the production protocols runs inside. Everything happens on the
 * thread that steps the {@link io.georep.simulation.World}; two worlds share nothing.
 *
 * <p>A protocol of another package or repository lives here as a {@link io.georep.simulation.Wing}: client, judge, troubles and
 * planted errors of its own. {@link io.georep.simulation.WingSimulation} runs it alone, beside an outbox, or among all wings of this
 * house. All that a wing may use is public: it sees machines ({@link io.georep.simulation.Machines},
 * {@link io.georep.simulation.SimulatedNode} with {@link io.georep.simulation.SimulatedDisk} and
 * {@link io.georep.simulation.NodeClock}), ways between them ({@link io.georep.simulation.SimulatedNetwork},
 * {@link io.georep.simulation.Way}), time ({@link io.georep.simulation.World}) and the
 * {@link io.georep.simulation.Nemesis}. The rest is closed. {@code io.georep.tally} and {@code io.georep.rumour} are examples.
 */
package io.georep.simulation;
