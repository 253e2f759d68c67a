//! The faults of section 8, the graph, that can be planted in the strawman. Main type: [`Fault`].
//!
//! They are switched on and listed as all others are; they stand apart so that neither table grows beyond reading.

use super::switched;

faults! {
    // 1-2 The graph
    OptInMarkerIgnored = "opt-in-marker-ignored", "must", "OR-1.1", "optIn is accepted and means nothing: the phase always runs";
    OptInNeedsSkippable = "opt-in-needs-skippable", "must", "OR-1.1", "an opt-in node that is not marked skippable as well is refused";
    OptInNeedsNoSkippedEdge = "opt-in-needs-no-skipped-edge", "must", "OR-1.1", "an opt-in node without an edge for skipped compiles";
    RequiredOptInAccepted = "required-opt-in-accepted", "must", "OR-1.2", "a node that is required and opt-in compiles";
    RequiredOptInUnnamed = "required-opt-in-unnamed", "must", "OR-1.2", "the refusal of required with optIn does not name the node";
    SkipSetOptInAccepted = "skip-set-opt-in-accepted", "must", "OR-1.3", "a skip set that names an opt-in node compiles";
    SkipSetOptInUnnamed = "skip-set-opt-in-unnamed", "must", "OR-1.3", "the refusal of an opt-in node in a skip set does not name the node";
    CompileAcceptsAll = "compile-accepts-all", "must", "OR-1.2", "compile exits 0 whatever it found";
    FirstProblemOnly = "compile-first-problem-only", "open", "8", "compile stops at the first problem";
    ProblemsUnlocated = "problems-unlocated", "open", "8", "problems of a graph file have no line and column";
    UnknownKeyAccepted = "compile-unknown-key-accepted", "should", "8.2", "an unknown key in a graph file is ignored";
    AnyMarkerIsTrue = "any-marker-is-true", "should", "8.2", "a marker that is no boolean counts as true";
    UnknownGateAccepted = "unknown-gate-accepted", "should", "8.2", "an unknown gate is ignored, so that its node passes without it";
    UnreachableAccepted = "unreachable-accepted", "should", "8.2", "a graph with a node that no walk reaches compiles";
    CycleAccepted = "cycle-accepted", "should", "8.2", "a graph whose forward edges go round compiles";
    SkippedCycleAccepted = "skipped-cycle-accepted", "should", "8.2", "a graph whose skipped edges go round compiles";
    OptInPassedByAccepted = "opt-in-passed-by-accepted", "should", "8.2", "a graph in which a walk passes an opt-in node by compiles";
    RequiredSkippableAccepted = "required-skippable-accepted", "should", "8.2", "a node that is required and skippable compiles";
    SecondEdgeAccepted = "second-edge-accepted", "should", "8.2", "two edges for one outcome compile, and the first wins";
    MissingEdgeAccepted = "missing-edge-accepted", "should", "8.2", "a node without an edge for what its gates can give compiles";
    HumanWithoutGateAccepted = "human-without-gate-accepted", "should", "8.2", "a human node without a classify gate compiles";
    GateWithoutHumanAccepted = "gate-without-human-accepted", "should", "8.2", "a classify gate at a node of an agent compiles";
    OptionalSelectionAccepted = "optional-selection-accepted", "should", "8.2", "a phase selection that is not required compiles";
    LateSelectionAccepted = "late-selection-accepted", "should", "8.2", "a phase selection after a node that can be left out compiles";
    OutsideFileAccepted = "outside-file-accepted", "should", "8.2", "produces and validates may lead out of the folder of the item";
    EmptyGateAccepted = "empty-gate-accepted", "should", "8.2", "a validate gate without any file compiles";
    SharedSectionAccepted = "shared-section-accepted", "should", "8.2", "two nodes that read the same section of the same file compile";
    BusyTerminalAccepted = "busy-terminal-accepted", "should", "8.2", "a terminal node with exits, files or markers compiles";
    // 3 Gates
    GatesIgnored = "gates-ignored", "must", "OR-3.3", "gates that look at files always hold";
    FileIsEnough = "file-is-enough", "must", "OR-3.3", "a file that exists is enough for its gate";
    HeadingIsEnough = "heading-is-enough", "open", "OR-3.3", "a gate holds on an empty section";
    FirstGateOnly = "first-gate-only", "open", "8.3", "only the first gate of a node is asked";
    FirstSectionOnly = "first-section-only", "open", "8.3", "only the first section of a gate is looked for";
    AnySectionCounts = "any-section-counts", "open", "8.3", "any section of the file fills the one that is asked for";
    ValidatesIgnored = "validates-ignored", "open", "8.3", "validates is ignored";
    FencedSectionCounts = "fenced-section-counts", "open", "8.3", "a section inside a code fence fills a gate";
    CommentsFillSection = "comments-fill-section", "open", "8.3", "an HTML comment fills a section";
    PlaceholderFillsSection = "placeholder-fills-section", "open", "8.3", "a placeholder fills a section";
    DashFillsSection = "dash-fills-section", "open", "8.3", "a lone dash fills a section";
    SubHeadingFillsSection = "sub-heading-fills-section", "open", "8.3", "a sub-heading fills a section";
    TableHeadFillsSection = "table-head-fills-section", "open", "8.3", "a table without rows fills a section";
    ArtifactLinkFollowed = "artifact-link-followed", "open", "8.3", "a link to a file elsewhere counts as an artifact";
    // 4-5 Loops
    CheckoutGraphRead = "checkout-graph-read", "should", "8.4", "a graph in the checkout is picked up by its name";
    LoopOfStateIsPath = "loop-of-state-is-path", "should", "8.4", "the loop that a state names is read as a path into the checkout";
    UnknownLoopRefused = "unknown-loop-refused", "should", "8.4", "a state that names an unknown loop is refused";
    UnknownLoopSilent = "unknown-loop-silent", "should", "8.4", "an unknown loop in a state is replaced by the default without a warning";
    DesignReviewMissing = "design-review-missing", "must", "OR-3.1", "the loop of work items offers no review of the design";
    DesignReviewLate = "design-review-late", "must", "OR-3.1", "the review of the design comes after test planning";
    DesignReviewUnordered = "design-review-unordered", "must", "OR-3.1", "the review of the design stands last in the order of the loop";
    DesignReviewOnByDefault = "design-review-on-by-default", "must", "OR-3.2", "the review of the design is on by default";
    DesignReviewUnstaged = "design-review-unstaged", "must", "OR-N3", "the review of the design has no stage";
    DesignReviewLoopsBack = "design-review-loops-back", "must", "OR-X", "the review of the design has an edge back to design";
    DesignReviewEverywhere = "design-review-everywhere", "must", "OR-3.6", "the loops of pull requests and contributions have a review of the design";
    SelectionNotRequired = "selection-not-required", "must", "OR-X", "the shipped phase selection can be left out";
    // 6-8 State and pointer
    SelectionNotRead = "selection-not-read", "must", "OR-1.6", "a selection that is recorded is not read back";
    OptInRunsByDefault = "opt-in-runs-by-default", "must", "OR-1.4", "an opt-in node runs although nobody selected it";
    PointerNotRouted = "pointer-not-routed", "must", "OR-1.4", "a stored pointer on a node that does not run stays there";
    FrozenIsTheSource = "frozen-is-the-source", "must", "OR-A3", "an opt-in node runs because the frozen record says so";
    ForgedSelectionCounts = "forged-selection-counts", "must", "OR-1.7", "a recorded selection of a node that is not opt-in undoes its skip";
    ForgedSelectionKept = "forged-selection-kept", "must", "OR-2.4", "a selection that was in the state before anybody answered is kept";
    ForgedSkipCounts = "forged-skip-counts", "should", "OR-SEC", "a recorded skip of a node that always runs counts";
    SkipOfOptInCounts = "skip-of-opt-in-counts", "should", "8.6", "a recorded skip of an opt-in node counts";
    MalformedEntriesCount = "malformed-entries-count", "should", "OR-FC", "an entry that is no record of who and when counts";
    MalformedStateCrashes = "malformed-state-crashes", "should", "OR-FC", "a state whose members have wrong shapes crashes the program";
    BrokenStateIsEmpty = "broken-state-is-empty", "open", "8.6", "a state that is no JSON counts as empty";
    StateWrittenInPlace = "state-written-in-place", "open", "8.6", "the state is written in place";
    StateNotLocked = "state-not-locked", "open", "8.6", "the state is not locked";
    ForgedPointerCounts = "forged-pointer-counts", "open", "8.7", "a pointer beyond nodes that nobody left is believed";
    UnknownPointerFails = "unknown-pointer-fails", "open", "8.7", "check of a state with an unknown pointer fails";
    UnknownPointerRestarts = "unknown-pointer-restarts", "open", "8.7", "advance with an unknown pointer begins at the start";
    ChangesKeepRecords = "changes-keep-records", "open", "8.7", "requested changes leave the records of later nodes as they are";
    ChangesNeedGates = "changes-need-gates", "open", "8.7", "requested changes wait for the artifacts";
    ApprovalSkipsGates = "approval-skips-gates", "open", "8.7", "an approval counts although artifacts are missing";
    AdvanceRunsOn = "advance-runs-on", "open", "8.7", "advance goes on as far as it can";
    WaitingIsSuccess = "waiting-is-success", "open", "8.8", "advance exits 0 although the pointer stayed";
    AdvanceWithoutOptIns = "advance-without-opt-ins", "open", "8.8", "advance does not print optIns";
    // 9 The checklist
    OptInTicked = "opt-in-ticked", "must", "OR-2.1", "opt-in phases are offered with a tick";
    OptInAmongDefaults = "opt-in-among-defaults", "must", "OR-2.1", "opt-in phases stand among the default-on ones";
    OptInHeadingSilent = "opt-in-heading-silent", "must", "OR-2.1", "the heading of the opt-in phases does not say that they are off";
    OptInFirst = "opt-in-first", "must", "OR-2.1", "the opt-in phases come first";
    OptInNotOffered = "opt-in-not-offered", "must", "OR-2.1", "the checklist leaves opt-in phases out";
    DefaultsUnticked = "defaults-unticked", "must", "OR-2.1", "default-on phases are offered without a tick";
    DescriptionMissing = "description-missing", "must", "OR-2.2", "rows have no description";
    DescriptionInvented = "description-invented", "must", "OR-2.2", "a row without a description in the graph gets one";
    EmptySectionOffered = "empty-section-offered", "open", "OR-2.1", "a loop that offers nothing has a heading for it all the same";
    DescriptionOfOthersOnly = "description-of-others-only", "must", "OR-2.2", "rows of opt-in phases have no description";
    ChecklistWithoutMarker = "checklist-without-marker", "open", "8.9", "the checklist does not carry the own-comment marker";
    ChecklistWithoutToken = "checklist-without-token", "open", "8.9", "the checklist carries no token";
    // 10 Replies
    AnyoneIsAuthorised = "anyone-is-authorised", "must", "OR-A1", "whoever comments can answer";
    StrangersRowsCount = "strangers-rows-count", "must", "OR-A1", "the ticks of a stranger's comment count when somebody authorised answers";
    LoginsCompareExactly = "logins-compare-exactly", "must", "OR-A1", "logins are compared with case and `@`";
    OwnCommentsCount = "own-comments-count", "must", "OR-SEC", "a comment of the program itself answers";
    NobodyMeansAnybody = "nobody-means-anybody", "should", "OR-A1", "without authorised users everybody may answer";
    NobodySilent = "nobody-silent", "open", "8.10", "that nobody is authorised is not said";
    KeywordNotNeeded = "keyword-not-needed", "must", "OR-2.3", "any comment of an authorised user answers";
    KeywordAnywhere = "keyword-anywhere", "open", "8.10", "the keyword counts anywhere in a comment";
    KeywordPrefixCounts = "keyword-prefix-counts", "open", "8.10", "a longer word that begins with the keyword counts";
    KeywordConfigIgnored = "keyword-config-ignored", "open", "8.10", "the configured keyword is ignored";
    OldReplyCounts = "old-reply-counts", "open", "8.10", "a reply from before the gate was entered counts";
    UndatedReplyCounts = "undated-reply-counts", "open", "8.10", "a reply whose time cannot be read counts";
    EditedReplyCounts = "edited-reply-counts", "open", "8.10", "a reply that was edited counts";
    UsedReplyCounts = "used-reply-counts", "open", "8.10", "a reply answers a second gate";
    FirstReplyWins = "first-reply-wins", "open", "8.10", "the first of several replies wins";
    FirstPageOnly = "first-page-only", "open", "8.10", "of concatenated pages only the first is read";
    NestedPagesIgnored = "nested-pages-ignored", "open", "8.10", "comments in nested arrays are passed over";
    // 11-14 Selection
    TickIgnored = "tick-ignored", "must", "OR-2.3", "a ticked opt-in phase is not selected";
    SelectionIsSkipToo = "selection-is-skip-too", "must", "OR-2.3", "a selected opt-in phase is recorded as a skip as well";
    UntickedSelects = "unticked-selects", "must", "OR-2.4", "an unticked opt-in row selects";
    OmissionSelects = "omission-selects", "must", "OR-2.4", "an opt-in row that is left out selects";
    SilenceSelects = "silence-selects", "must", "OR-FC", "an answer without any checklist selects everything offered";
    ContradictionSelects = "contradiction-selects", "open", "8.11", "an opt-in phase that is ticked and unticked is selected";
    UnselectedIsDeclared = "unselected-is-declared", "must", "OR-2.4", "an unticked opt-in row is recorded as a declared skip";
    UntickIgnored = "untick-ignored", "must", "OR-2.6", "an explicit untick of a default-on phase is ignored";
    OmissionSkips = "omission-skips", "must", "OR-2.6", "a default-on row that is left out skips";
    RequiredUntickSkips = "required-untick-skips", "open", "8.11", "unticking a phase that always runs skips it";
    RefusalSilent = "refusal-silent", "open", "8.11", "unticking a phase that always runs is ignored without a word";
    TicksInFencesCount = "ticks-in-fences-count", "open", "8.11", "rows in code fences count";
    TicksInQuotesCount = "ticks-in-quotes-count", "open", "8.11", "rows in quotes count";
    TicksInHiddenCommentsCount = "ticks-in-hidden-comments-count", "open", "8.11", "rows in HTML comments count";
    ReplyRowsIgnored = "reply-rows-ignored", "open", "8.11", "the checklist in a reply is ignored";
    OurChecklistIgnored = "our-checklist-ignored", "open", "OR-2.3", "ticks on the posted checklist are ignored";
    OurChecklistWins = "our-checklist-wins", "open", "8.11", "the posted checklist wins over the one in the reply";
    AnyChecklistCounts = "any-checklist-counts", "should", "8.11", "a stranger's copy of the checklist counts";
    LastChecklistCounts = "last-checklist-counts", "should", "8.11", "the last comment with the token counts as ours, whoever copied it";
    ChecklistNotPinned = "checklist-not-pinned", "should", "8.11", "a copy of the checklist counts once ours is gone";
    LateChecklistCounts = "late-checklist-counts", "open", "8.11", "a checklist that was changed after the reply counts";
    Reselection = "reselection", "must", "OR-X", "a later reply selects again";
    ConfirmationMissing = "confirmation-missing", "must", "OR-2.5", "there is no confirmation";
    ConfirmationHidesSelected = "confirmation-hides-selected", "must", "OR-2.5", "the confirmation does not name what was selected";
    ConfirmationHidesUnselected = "confirmation-hides-unselected", "must", "OR-2.5", "the confirmation says nothing of what was offered and not selected";
    SelectionWithoutProvenance = "selection-without-provenance", "must", "OR-1.6", "a selection is recorded without who, how and when";
    SelectionWithoutChannel = "selection-without-channel", "must", "OR-1.6", "a selection is recorded without its channel";
    SelectedNotWalked = "selected-not-walked", "must", "OR-1.6", "a selected node is routed round all the same";
    SelectedPassesGate = "selected-passes-gate", "must", "OR-1.6", "a selected node passes without its gate";
    NothingFrozen = "nothing-frozen", "must", "OR-1.8", "nothing is frozen";
    FrozenWithoutOptIn = "frozen-without-opt-in", "must", "OR-1.8", "the frozen record does not tell opt-in nodes";
    FrozenWithoutSelectable = "frozen-without-selectable", "must", "OR-1.8", "the frozen record does not tell what could be selected";
    FrozenUnselectedRuns = "frozen-unselected-runs", "must", "OR-1.8", "the frozen record says that an unselected opt-in node runs";
    NoEvents = "no-events", "must", "OR-N2", "no event is written";
    NoOptInEvent = "no-opt-in-event", "must", "OR-N2", "a selection emits no event";
    NoSkipEvent = "no-skip-event", "must", "OR-N2", "a declared skip emits no event";
    NoDecisionEvent = "no-decision-event", "open", "OR-N2", "a decision emits no event";
    EventWithoutNodes = "event-without-nodes", "must", "OR-N2", "the event of a selection does not say what was selected";
    StateBeforeEvents = "state-before-events", "must", "OR-N2", "the state is written before the events";
    LogFailureIgnored = "log-failure-ignored", "must", "OR-N2", "a log that cannot be written stops nothing";
    EventLogPathIgnored = "event-log-path-ignored", "must", "OR-N2", "the configured event log is ignored";
    VerbSelects = "verb-selects", "must", "OR-X", "graph skip on an opt-in node selects it";
    SelectVerb = "select-verb", "must", "OR-X", "graph select selects an opt-in phase";
    OptInVerb = "opt-in-verb", "must", "OR-X", "graph opt-in selects an opt-in phase";
    SkipOptInFlag = "skip-opt-in-flag", "must", "OR-X", "graph skip --opt-in selects an opt-in phase";
    AdvanceSelects = "advance-selects", "must", "OR-X", "graph advance --select selects an opt-in phase";
    StartSelects = "start-selects", "must", "OR-X", "graph start --opt-in selects an opt-in phase";
    SkipOptInAccepted = "skip-opt-in-accepted", "should", "8.14", "graph skip on an opt-in node is accepted";
    SkipRequiredAccepted = "skip-required-accepted", "should", "8.14", "graph skip on a required node is accepted";
    SkipUnknownAccepted = "skip-unknown-accepted", "should", "8.14", "graph skip on an unknown node is accepted";
    SkipEnteredAccepted = "skip-entered-accepted", "should", "8.14", "graph skip on a node that was entered is accepted";
    SkipAfterSelection = "skip-after-selection", "should", "8.14", "graph skip works after the selection was answered";
    SkipWithoutReason = "skip-without-reason", "open", "8.14", "graph skip needs no reason";
    SkipSetUnknown = "skip-set-unknown", "open", "8.1", "graph skip knows no skip sets";
    // 15 Check
    NotSelectedIsPass = "not-selected-is-pass", "must", "OR-1.5", "check reports an unselected node as pass";
    NotSelectedIsSkipped = "not-selected-is-skipped", "must", "OR-1.5", "check reports an unselected node as skipped by declaration";
    NotSelectedIsPending = "not-selected-is-pending", "must", "OR-1.5", "check reports an unselected node as pending";
    NotSelectedInTableOnly = "not-selected-in-table-only", "must", "OR-1.5", "the JSON of check does not tell an unselected node";
    NotSelectedInJsonOnly = "not-selected-in-json-only", "must", "OR-1.5", "the table of check does not tell an unselected node";
    UnselectedNotReported = "unselected-not-reported", "must", "OR-1.5", "check leaves unselected nodes out";
    UnselectedFailsCheck = "unselected-fails-check", "must", "OR-N1", "an unselected node makes check fail";
    NotSelectedOnlyOnceAnswered = "not-selected-only-once-answered", "open", "8.15", "before the selection an opt-in node is pending";
    DeclaredIsNotSelected = "declared-is-not-selected", "must", "OR-1.5", "a phase that was declared away is reported as not selected";
    DeclaredIsPass = "declared-is-pass", "must", "OR-1.5", "a phase that was declared away is reported as pass";
    SkipReportedWithoutWho = "skip-reported-without-who", "open", "8.15", "check does not say who declared a phase away";
    LostSelectionPasses = "lost-selection-passes", "must", "OR-A3", "a selection that is gone from the state is reported as pass";
    LostSelectionSilent = "lost-selection-silent", "open", "8.15", "check does not say that a frozen selection is gone";
    RecomputeForgetsOptIns = "recompute-forgets-opt-ins", "must", "OR-1.4", "check --recompute takes every opt-in node for selected";
    RecomputeForgetsSkips = "recompute-forgets-skips", "open", "8.15", "check --recompute forgets what was declared away";
    RecomputeIgnored = "recompute-ignored", "open", "8.15", "--recompute is ignored";
    RecordedVerdictCounts = "recorded-verdict-counts", "open", "8.15", "a recorded verdict counts although the artifact is gone";
    RecordedApprovalCounts = "recorded-approval-counts", "open", "8.15", "an approval in the state counts although the event log knows none";
    OtherCommentCounts = "other-comment-counts", "open", "8.15", "an approval by another comment than the recorded one counts";
    WithdrawnApprovalCounts = "withdrawn-approval-counts", "open", "8.15", "an approval from before requested changes counts";
    EventOfOtherRootCounts = "event-of-other-root-counts", "open", "8.15", "a decision about another checkout counts";
    CheckNeverFails = "check-never-fails", "open", "8.15", "check exits 0 whatever is unmet";
    FailOnIgnored = "fail-on-ignored", "open", "8.15", "--fail-on is ignored";
    CheckWrites = "check-writes", "open", "8.15", "check moves the pointer";
    InFlightBlocks = "in-flight-blocks", "must", "OR-N1", "a state without optIns blocks";
    // 16-17 Review record, verbs
    ReviewRecordIsAnyText = "review-record-is-any-text", "open", "8.16", "any text is a record of a review";
    RecordWithoutRows = "record-without-rows", "open", "OR-3.3", "a record without a round holds";
    CriticUnnamedInRecord = "critic-unnamed-in-record", "open", "OR-3.3", "a round that names no critic holds";
    AnyReviewOutcome = "any-review-outcome", "open", "8.16", "any outcome of a round holds";
    FindingsUncounted = "findings-uncounted", "open", "8.16", "a round does not need a number of findings";
    CriticTextObeyed = "critic-text-obeyed", "must", "OR-A4", "a review that says that it is to be approved holds";
    FindingsUnanswered = "findings-unanswered", "open", "OR-3.3", "findings need no disposition";
    WontFixWithoutWhy = "wont-fix-without-why", "open", "8.16", "won't fix needs no reason";
    UnavailableHolds = "unavailable-holds", "must", "OR-3.5", "a review that could not be held counts as held";
    UnavailableIsPass = "unavailable-is-pass", "must", "OR-3.5", "check reports a review that could not be held as pass";
    UnavailableBlocks = "unavailable-blocks", "must", "OR-3.5", "a review that could not be held blocks the walk";
    UnavailableWithoutCause = "unavailable-without-cause", "open", "OR-3.5", "a review can be unavailable without a cause";
    TemplatePasses = "template-passes", "open", "8.16", "the unedited template passes";
    StartOverwrites = "start-overwrites", "open", "8.17", "graph start replaces an existing state";
    ItemNameUnchecked = "item-name-unchecked", "open", "8.17", "an item name with `..` leads out of the folder of specs";
    GraphSpecDirIgnored = "graph-spec-dir-ignored", "open", "8.17", "--spec-dir is ignored by graph and check";
    // harmless
    HarmlessTerse = "harmless-terse", "harmless", "8.8", "advance prints nothing beyond the protocol's keys";
    HarmlessShuffled = "harmless-shuffled", "harmless", "8.17", "graph show prints nodes before edges and more of them";
    HarmlessGraphWordy = "harmless-graph-wordy", "harmless", "8.9", "the checklist has more words";
    HarmlessCompactState = "harmless-compact-state", "harmless", "8.6", "the state is written on one line";
    HarmlessGraphLate = "harmless-graph-late", "harmless", "8.12", "the confirmation names what runs by default too";
}

/// Whether the fault is switched on for this process.
pub(crate) fn on(fault: Fault) -> bool {
    TABLE.iter().any(|described| described.fault == fault && switched(described.slug))
}
