#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"
#include "pub_tool_libcprint.h"
#include "valgrind.h"

static ULong executed;

static void account(IRSB* block, ULong instructions)
{
    IRTemp before = newIRTemp(block->tyenv, Ity_I64);
    IRTemp after = newIRTemp(block->tyenv, Ity_I64);
    IRExpr* place = IRExpr_Const(IRConst_U64((ULong)(HWord)&executed));
    IRExpr* more = IRExpr_Const(IRConst_U64(instructions));
    addStmtToIRSB(block, IRStmt_WrTmp(before, IRExpr_Load(Iend_LE, Ity_I64, place)));
    addStmtToIRSB(block, IRStmt_WrTmp(after, IRExpr_Binop(Iop_Add64, IRExpr_RdTmp(before), more)));
    addStmtToIRSB(block, IRStmt_Store(Iend_LE, place, IRExpr_RdTmp(after)));
}

static IRSB* instrument(VgCallbackClosure* closure, IRSB* in, const VexGuestLayout* layout,
                        const VexGuestExtents* extents, const VexArchInfo* host, IRType guest_word, IRType host_word)
{
    IRSB* out = deepCopyIRSBExceptStmts(in);
    ULong begun = 0;
    for (Int at = 0; at < in->stmts_used; at++) {
        IRStmt* statement = in->stmts[at];
        if (statement->tag == Ist_IMark)
            begun++;
        if (statement->tag == Ist_Exit && begun > 0) {
            account(out, begun);
            begun = 0;
        }
        addStmtToIRSB(out, statement);
    }
    if (begun > 0)
        account(out, begun);
    return out;
}

static Bool request(ThreadId thread, UWord* arguments, UWord* result)
{
    if (!VG_IS_TOOL_USERREQ('F', 'S', arguments[0]))
        return False;
    *result = executed;
    return True;
}

static void post_init(void) {}
static void fini(Int status) {}
static void pre_init(void)
{
    VG_(details_name)("steps");
    VG_(details_version)(NULL);
    VG_(details_description)("counts instructions for a program that asks");
    VG_(details_copyright_author)("The Fixstep developers");
    VG_(details_bug_reports_to)("none");
    VG_(basic_tool_funcs)(post_init, instrument, fini);
    VG_(needs_client_requests)(request);
}
VG_DETERMINE_INTERFACE_VERSION(pre_init)
