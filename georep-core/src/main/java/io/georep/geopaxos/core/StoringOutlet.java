package io.georep.geopaxos.core;

import io.georep.consensus.Ballot;
import io.georep.consensus.Departure;
import io.georep.consensus.Proposal;
import io.georep.consensus.Seats;
import io.georep.geopaxos.core.messages.GeoOutlet;
import io.georep.geopaxos.core.messages.StatePiece;
import io.georep.model.Slice;
import io.georep.protocol.Turn;
import org.jspecify.annotations.Nullable;

/** Leaves in the store of the node what is to be kept, in the present turn. */
abstract class StoringOutlet implements GeoOutlet {
    private final GeoStore stored;

    /** The present one. */
    Turn turn;

    StoringOutlet(GeoStore stored, Turn turn) {
        this.stored = stored;
        this.turn = turn;
    }

    @Override
    public void storePromise(int group, Ballot promised) {
        stored.promised(group, promised, turn);
    }

    @Override
    public void storeProposal(int group, long slot, Proposal proposal) {
        stored.proposal(group, slot, proposal, turn);
    }

    @Override
    public void dropProposals(int group, long after) {
        stored.drop(group, after, turn);
    }

    @Override
    public void storeDeparture(int group, Departure departure) {
        stored.departure(group, departure, turn);
    }

    @Override
    public void storeDecided(int group, long slot) {
        stored.decided(group, slot, turn);
    }

    @Override
    public void storeBase(int group, long slot, Seats seats) {
        stored.base(group, slot, seats, turn);
    }

    @Override
    public void storePiece(StatePiece.Name name, @Nullable Slice content) {
        stored.piece(name, content, turn);
    }

    @Override
    public void storeHead(Slice head) {
        stored.head(head, turn);
    }

    @Override
    public void stage(StatePiece piece) {
        stored.stage(piece, turn);
    }

    @Override
    public void takeStaged() {
        stored.takeStaged(turn);
    }

    @Override
    public void dropStaged() {
        stored.dropStaged(turn);
    }
}
