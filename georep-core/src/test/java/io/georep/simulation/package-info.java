/**
 * The deterministic simulator: one seed decides time, network, disks, clocks, applications and faults, and the
 * production {@link io.georep.runtime.NodeLoop} with the production protocols runs inside. Everything happens on the
 * thread that steps the {@link io.georep.simulation.World}; two worlds share nothing.
 */
package io.georep.simulation;
